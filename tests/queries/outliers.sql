-- positive: ns::next, now with one call of 20 that took 100 times as long as the others
.read tests/fixtures/small.sql
UPDATE function_stats SET max_ns = 102000, mean_ns = 7000.0, m2 = 9500000000.0, finished = 20, slowest_call_id = 8, median_ns = 2000, p99_ns = 102000,
    self_ns = 140000, total_ns = 140000
  WHERE function_id = 3;
INSERT INTO durations(function_id, log2, count) VALUES (3, 10, 19), (3, 16, 1);
-- edge: that call is kept: its time is known, not guessed by its range
INSERT INTO slow_calls(function_id, rank, call_id, duration_ns, raw_duration_ns) VALUES (3, 1, 8, 102000, 102000);
UPDATE calls SET duration_ns = 102000 WHERE id = 8;
-- negative: parse, whose two calls differ little
-- edge: main, called once, has no deviation
-- negative: worker, of whose 1000 calls one was slow, by less than a twentieth of the run; that its ordinary
-- calls take more than a microsecond changes nothing
UPDATE function_stats SET finished = 1000, max_ns = 8000, mean_ns = 18.0, m2 = 63000000.0, median_ns = 500, p99_ns = 1100 WHERE function_id = 5;
UPDATE calls SET duration_ns = 8000, children_ns = 0 WHERE id = 10;
INSERT INTO durations(function_id, log2, count) VALUES (5, 3, 999), (5, 12, 1);
-- negative: work, as scattered, but recursive; log_line, whose slow calls spent their time in a callee, though
-- not the slowest one
UPDATE function_stats SET finished = 20, max_ns = 102000, mean_ns = 7000.0, m2 = 9500000000.0, recursive_calls = 1, median_ns = 2000 WHERE function_id = 4;
UPDATE function_stats SET finished = 20, max_ns = 12000, mean_ns = 2000.0, m2 = 950000000.0, median_ns = 100, p99_ns = 12000, self_ns = 16000,
    slowest_call_id = 11 WHERE function_id = 6;
INSERT INTO durations(function_id, log2, count) VALUES (6, 6, 18), (6, 13, 2);
INSERT INTO calls(id, thread_id, frame_id, depth, enter_ns, duration_ns, parent_distance, descendants, children_ns, ended) VALUES
  (12, 2, 6, 1, 85000, 9000, 2, 1, 8900, 0), (13, 2, 6, 1, 95000, 5000, 3, 1, 4900, 0);
INSERT INTO slow_calls(function_id, rank, call_id, duration_ns, raw_duration_ns) VALUES (6, 1, 11, 10000, 10000), (6, 2, 12, 9000, 9000);
UPDATE calls SET children_ns = 2000 WHERE id = 11;
-- the time of both is: 10000, of which 2000 a callee's, and 9000, of which 8900
-- negative: functions as ns::next was, but for what is said of each
CREATE TEMP TABLE more(id INTEGER PRIMARY KEY, name TEXT, slow INTEGER, self_ns INTEGER, max_ns INTEGER);
INSERT INTO more VALUES
  (21, 'two_modes_as_each_fifth_is_slow', 4, 1400000, 102000), (22, 'own_code_takes_less_than_slow_calls', 1, 30000, 102000),
  (23, 'slow_calls_take_too_little_of_the_run', 1, 5000, 1100),
-- positive: slow calls take no more than so many times the slowest
  (24, 'range_ends_late', 1, 70000, 66000);
INSERT INTO functions(id, module_id, address, size, name, line, instrumented, stable_id)
  SELECT id, 1, 0x2000 + 16 * id, 16, name, 1, 1, 's' || id FROM more;
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished, min_ns, max_ns, mean_ns, m2, child_calls,
    calling, single_child_calls, callees, callers, root_calls, unwound, open, depth_max, nesting_max, recursive_calls,
    direct_recursive_calls, sequences, median_ns, p99_ns)
  SELECT id, 20, 500000, self_ns, 500000, self_ns, 20, 10, max_ns, 0.1 * max_ns, 0.2 * max_ns * max_ns, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 20,
         max_ns FROM more;
INSERT INTO durations(function_id, log2, count)
  SELECT id, 4, 20 - slow FROM more UNION ALL SELECT id, CASE id WHEN 23 THEN 10 ELSE 16 END, slow FROM more;
DROP TABLE more;
-- parameters: min_calls=1
