-- positive: the slowest calls of log_line, parse and ns::next
.read tests/fixtures/small.sql
UPDATE function_stats SET median_ns = 6000 WHERE function_id = 2;
UPDATE function_stats SET median_ns = 1000 WHERE function_id = 3;
UPDATE function_stats SET median_ns = 1000, finished = 8 WHERE function_id IN (4, 5, 6);
UPDATE function_stats SET finished = 8 WHERE function_id IN (2, 3);
INSERT INTO slow_calls(function_id, rank, call_id, duration_ns, raw_duration_ns, wait_ns, preempted_ns) VALUES
-- negative: main, called once: nothing is usual
  (1, 1, 1, 100000, 100000, 0, 0), (2, 1, 2, 130000, 130000, 100000, 0),
-- put aside comes behind, so what its caller took by it: here its duration tells
  (2, 2, 6, 82000, 82000, 10000, 48000),
-- negative: the third of ns::next, where two a function are asked for
  (3, 1, 3, 16000, 16000, 10000, 0), (3, 2, 8, 6000, 6000, 0, 0), (3, 3, 4, 5000, 5000, 0, 0),
-- behind all: a call of worker of which its callee log_line took 6 sevenths
  (5, 1, 10, 70000, 70000, 0, 0), (6, 1, 11, 60000, 60000, 0, 0),
-- edge: a call whose row is not there (load --summary) keeps its place
  (4, 1, 99, 40000, 40000, 0, 0),
-- negative: less than four times as long as the middle one
  (4, 2, 98, 3999, 3999, 0, 0);
INSERT INTO gaps(id, thread_id, call_id, frame_id, start_ns, wall_ns, wait_ns, preempted_ns, waits, preemptions,
    minor_faults, major_faults) VALUES
-- a wait that was for pages
  (1, 1, 3, 3, 12000, 10000, 10000, 0, 1, 0, 0, 1),
-- pages that were new
  (2, 1, 8, 3, 50000, 5000, 0, 0, 0, 0, 2, 0);
-- lone ones: calc's one slow call of 1000, its own code's, which uses no memory; behind the others. Its
-- twin allocates; of the third the clock tells of a switch around it
INSERT INTO functions(id, module_id, address, size, name, line, instrumented, stable_id, call_targets)
  VALUES (11, 1, 0x2000, 64, 'calc', 1, 1, 's11', 1), (12, 1, 0x2100, 64, 'calc_and_keep', 1, 1, 's12', 1),
         (13, 1, 0x2200, 64, 'calc_around', 1, 1, 's13', 1);
INSERT INTO frames(id, parent_id, function_id, depth, calls, total_ns, self_ns, finished, raw_total_ns, raw_self_ns, child_calls)
  SELECT id, 1, id, 1, 1000, 30000, 30000, 1000, 30000, 30000, 0 FROM functions WHERE id > 10;
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished, child_calls, calling,
    single_child_calls, callees, callers, root_calls, unwound, open, depth_max, nesting_max, recursive_calls,
    direct_recursive_calls, sequences, median_ns, p99_ns, allocs)
  SELECT id, 1000, 30000, 30000, 30000, 30000, 1000, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 10, 15, (id = 12) FROM functions WHERE id > 10;
INSERT INTO calls(id, thread_id, frame_id, depth, enter_ns, duration_ns, parent_distance, descendants, children_ns, ended)
  SELECT id + 10, 1, id, 1, 61000, 15000, id + 9, 0, 0, 0 FROM functions WHERE id > 10;
INSERT INTO slow_calls(function_id, rank, call_id, duration_ns, raw_duration_ns)
  SELECT id, 1, id + 10, 15000, 15000 FROM functions WHERE id > 10;
INSERT INTO gaps(id, thread_id, call_id, frame_id, start_ns, wall_ns, wait_ns, preempted_ns, waits, preemptions,
    minor_faults, major_faults) VALUES (3, 1, 23, 13, 61000, 14000, 0, 1000, 0, 1, 0, 0);
-- chains: of two callees that took half each the caller comes behind; with sixteen small ones, each slow for its
-- function, it stays, for none of their rows tells of it
INSERT INTO functions(id, module_id, address, size, name, line, instrumented, stable_id, call_targets)
  VALUES (21, 1, 0x3000, 64, 'resize', 1, 1, 's21', 1), (22, 1, 0x3100, 64, 'clear', 1, 1, 's22', 1),
         (23, 1, 0x3200, 64, 'fill', 1, 1, 's23', 1), (24, 1, 0x3300, 64, 'sweep', 1, 1, 's24', 1),
         (25, 1, 0x3400, 64, 'sweep_one', 1, 1, 's25', 1);
INSERT INTO frames(id, parent_id, function_id, depth, calls, total_ns, self_ns, finished, raw_total_ns, raw_self_ns, child_calls)
  SELECT id, CASE id WHEN 25 THEN 24 WHEN 21 THEN 1 WHEN 24 THEN 1 ELSE 21 END, id, 1, 9, 9, 9, 9, 9, 9, 0 FROM functions WHERE id > 20;
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished, child_calls, calling,
    single_child_calls, callees, callers, root_calls, unwound, open, depth_max, nesting_max, recursive_calls,
    direct_recursive_calls, sequences, median_ns, p99_ns, allocs)
  SELECT id, 9, 9, 9, 9, 9, 9, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 100, 100, 0 FROM functions WHERE id > 20;
INSERT INTO calls(id, thread_id, frame_id, depth, enter_ns, duration_ns, parent_distance, descendants, children_ns, ended) VALUES
  (31, 1, 21, 1, 62000, 9000, 30, 2, 8800, 0), (32, 1, 22, 2, 62000, 4400, 1, 0, 0, 0), (33, 1, 23, 2, 67000, 4400, 2, 0, 0, 0),
  (34, 1, 24, 1, 72000, 8000, 33, 16, 8000, 0);
INSERT INTO calls(id, thread_id, frame_id, depth, enter_ns, duration_ns, parent_distance, descendants, children_ns, ended)
  SELECT 34 + value, 1, 25, 2, 72000 + 500 * value, 500, value, 0, 0, 0
  FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 16) SELECT value FROM n);
INSERT INTO slow_calls(function_id, rank, call_id, duration_ns, raw_duration_ns) VALUES
  (21, 1, 31, 9000, 9000), (22, 1, 32, 4400, 4400), (23, 1, 33, 4400, 4400), (24, 1, 34, 8000, 8000);
INSERT INTO slow_calls(function_id, rank, call_id, duration_ns, raw_duration_ns)
  SELECT 25, id - 34, id, 500, 500 FROM calls WHERE frame_id = 25;
-- behind, too: store, of which two calls two levels within it took half, though its callee step did not; edge:
-- fetch stays, for page within it takes as long each time. Lone by what its own code usually takes: bump, whose
-- p99 says nothing, for its callees' is in it
INSERT INTO functions(id, module_id, address, size, name, line, instrumented, stable_id, call_targets)
  VALUES (41, 1, 0x4000, 64, 'store', 1, 1, 's41', 1), (42, 1, 0x4100, 64, 'step', 1, 1, 's42', 1), (43, 1, 0x4200, 64, 'find', 1, 1, 's43', 1),
         (44, 1, 0x4300, 64, 'fetch', 1, 1, 's44', 1), (45, 1, 0x4400, 64, 'page', 1, 1, 's45', 1), (46, 1, 0x4500, 64, 'bump', 1, 1, 's46', 1);
INSERT INTO frames(id, parent_id, function_id, depth, calls, total_ns, self_ns, finished, raw_total_ns, raw_self_ns, child_calls)
  SELECT id, CASE id WHEN 42 THEN 41 WHEN 43 THEN 42 WHEN 45 THEN 44 ELSE 1 END, id, 1, 200, 9, 9, 200, 9, 9, 0 FROM functions WHERE id > 40;
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished, child_calls, calling,
    single_child_calls, callees, callers, root_calls, unwound, open, depth_max, nesting_max, recursive_calls,
    direct_recursive_calls, sequences, median_ns, p99_ns, allocs)
  SELECT id, 200, 9000, 400, 9000, 400, 200, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, CASE id WHEN 45 THEN 3000 ELSE 100 END, 900, 0 FROM functions WHERE id > 40;
INSERT INTO calls(id, thread_id, frame_id, depth, enter_ns, duration_ns, parent_distance, descendants, children_ns, ended) VALUES
  (61, 1, 41, 1, 92000, 3000, 60, 3, 2900, 0), (62, 1, 42, 2, 92000, 2900, 1, 2, 2000, 0),
  (63, 1, 43, 3, 92000, 1000, 1, 0, 0, 0), (64, 1, 43, 3, 93500, 1000, 2, 0, 0, 0),
  (65, 1, 44, 1, 96000, 4000, 64, 2, 3900, 0), (66, 1, 42, 2, 96000, 3900, 1, 1, 3500, 0), (67, 1, 45, 3, 96000, 3500, 1, 0, 0, 0),
  (68, 1, 46, 1, 97000, 2500, 67, 0, 0, 0);
INSERT INTO slow_calls(function_id, rank, call_id, duration_ns, raw_duration_ns) VALUES
  (41, 1, 61, 3000, 3000), (44, 1, 65, 4000, 4000), (46, 1, 68, 2500, 2500);
-- parameters: per_function=2
-- negative: log_all, which finished too few; behind, with those that the machine slowed down: set_up's first call
INSERT INTO functions(id, module_id, address, size, name, line, instrumented, stable_id, call_targets)
  VALUES (51, 1, 0x5000, 64, 'log_all', 1, 1, 's51', 1), (52, 1, 0x5100, 64, 'set_up', 1, 1, 's52', 1);
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished, child_calls, calling,
    single_child_calls, callees, callers, root_calls, unwound, open, depth_max, nesting_max, recursive_calls,
    direct_recursive_calls, sequences, median_ns, first_call_id)
  VALUES (51, 7, 30000, 30000, 30000, 30000, 7, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1000, 90),
         (52, 8, 30000, 30000, 30000, 30000, 8, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1000, 97);
INSERT INTO slow_calls(function_id, rank, call_id, duration_ns, raw_duration_ns) VALUES
  (51, 1, 96, 20000, 20000), (52, 1, 97, 20000, 20000);
