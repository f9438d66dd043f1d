-- positive: ns::next, now with one call of 5 that took 100 times as long as the others
.read tests/fixtures/small.sql
UPDATE function_stats SET max_ns = 102000, mean_ns = 22000.0, m2 = 8000000000.0, slowest_call_id = 8, median_ns = 2000, p99_ns = 102000
  WHERE function_id = 3;
INSERT INTO durations(function_id, log2, count) VALUES (3, 10, 4), (3, 16, 1);
-- negative: parse, whose two calls differ little
-- edge: main, called once, has no deviation
-- negative: worker, of whose 1000 calls one was slow, by less than a twentieth of the run
UPDATE function_stats SET finished = 1000, max_ns = 8000, mean_ns = 18.0, m2 = 63000000.0, median_ns = 10, p99_ns = 15 WHERE function_id = 5;
UPDATE calls SET duration_ns = 8000, children_ns = 0 WHERE id = 10;
INSERT INTO durations(function_id, log2, count) VALUES (5, 3, 999), (5, 12, 1);
-- negative: work, as scattered, but recursive; log_line, whose slowest call spent its time in a callee
UPDATE function_stats SET finished = 5, max_ns = 102000, mean_ns = 22000.0, m2 = 8000000000.0, recursive_calls = 1 WHERE function_id = 4;
UPDATE function_stats SET finished = 5, max_ns = 102000, mean_ns = 22000.0, m2 = 8000000000.0 WHERE function_id = 6;
UPDATE calls SET children_ns = 5001 WHERE id = 11;
-- parameters: min_calls=1
