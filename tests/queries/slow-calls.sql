-- positive: the slowest calls of main, parse and ns::next
.read tests/fixtures/small.sql
UPDATE function_stats SET median_ns = 20000 WHERE function_id = 2;
UPDATE function_stats SET median_ns = 3000 WHERE function_id = 3;
UPDATE function_stats SET median_ns = 1000, finished = 2 WHERE function_id IN (5, 6);
INSERT INTO slow_calls(function_id, rank, call_id, duration_ns, raw_duration_ns, wait_ns, preempted_ns) VALUES
  (1, 1, 1, 100000, 100000, 0, 0), (2, 1, 2, 130000, 130000, 100000, 0),
  (2, 2, 6, 70000, 70000, 10000, 40000),
-- negative: the third of ns::next, where two a function are asked for
  (3, 1, 3, 16000, 16000, 10000, 0), (3, 2, 8, 6000, 6000, 0, 0), (3, 3, 4, 3000, 3000, 0, 0),
-- behind all: a call of worker of which its callee log_line took 6 sevenths
  (5, 1, 10, 70000, 70000, 0, 0), (6, 1, 11, 60000, 60000, 0, 0),
-- edge: a call whose row is not there (load --summary) keeps its place
  (4, 1, 99, 40000, 40000, 0, 0);
-- a wait that was for pages
INSERT INTO gaps(id, thread_id, call_id, frame_id, start_ns, wall_ns, wait_ns, preempted_ns, waits, preemptions,
    minor_faults, major_faults) VALUES (1, 1, 3, 3, 12000, 10000, 10000, 0, 1, 0, 0, 1);
-- parameters: per_function=2
