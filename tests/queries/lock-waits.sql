-- parameters: min_guessed_ns=3000
-- positive: log_line, whose longest wait is in call 11; parse waits once
.read tests/fixtures/small.sql
INSERT INTO gaps(id, thread_id, call_id, frame_id, start_ns, wall_ns, wait_ns, preempted_ns, waits, preemptions,
    minor_faults, major_faults) VALUES
  (1, 2, 11, 6, 31000, 6000, 5000, 0, 1, 0, 0, 0), (2, 2, 12, 6, 42000, 2000, 1500, 0, 1, 0, 0, 0),
  (3, 1, 2, 2, 12000, 50000, 40000, 0, 1, 0, 0, 0),
-- negative: put aside
  (4, 1, 1, 1, 2000, 9000, 0, 8000, 0, 1, 0, 0),
-- negative: what sleeps by its name
  (5, 1, 9, 4, 70000, 9000, 8000, 0, 1, 0, 0, 0),
-- edge: a wait too short to count
  (6, 2, 10, 5, 90000, 1500, 999, 0, 1, 0, 0, 0);
UPDATE functions SET name = 'sleep_until' WHERE id = 4;
-- each of these waited 3000 ns under main; names are split into words
CREATE TEMP TABLE more(id INTEGER PRIMARY KEY, name TEXT, major_faults INTEGER, waits INTEGER, call_targets INTEGER);
INSERT INTO more(id, name, major_faults, waits, call_targets) VALUES
-- positive: thread is not read; a list's unlink and flush; a lock by its name; a wait beside a page's
  (21, 'spare_thread', 0, 1, 1), (22, 'item_unlink_q', 0, 1, 1), (23, 'ZSTDMT_flushProduced', 0, 1, 1),
  (24, 'read_lock', 0, 1, 1), (25, 'Reader<read>::take', 0, 1, 1), (26, 'page_and_lock', 1, 2, 1),
  (27, '(anonymous namespace)::hand_over', 0, 1, 1),
-- negative: input and output
  (31, 'ReadFile', 0, 1, 1), (32, 'disk::ReadFile', 0, 1, 1), (33, 'conn_read', 0, 1, 1), (34, 'unlink', 0, 1, 1),
  (35, 'epoll_wait_for', 0, 1, 1), (36, 'flushAll', 0, 1, 1), (37, 'IORecv', 0, 1, 1),
-- negative: only a page was read; code that calls nothing; too short for a guess
  (38, 'page_alone', 1, 1, 1), (39, 'load32', 0, 1, 0), (40, 'moment', 0, 1, 1);
INSERT INTO functions(id, module_id, address, size, name, line, instrumented, stable_id, call_targets)
  SELECT id, 1, 0x2000 + id * 16, 16, name, 1, 1, 's' || id, call_targets FROM more;
INSERT INTO frames(id, parent_id, function_id, depth, calls, total_ns, self_ns, finished, raw_total_ns, raw_self_ns, child_calls)
  SELECT id, 1, id, 1, 1, 3000, 3000, 1, 3000, 3000, 0 FROM more;
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished, child_calls, calling,
    single_child_calls, callees, callers, root_calls, unwound, open, depth_max, nesting_max, recursive_calls,
    direct_recursive_calls, sequences)
  SELECT id, 1, 3000, 3000, 3000, 3000, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1 FROM more;
INSERT INTO gaps(id, thread_id, call_id, frame_id, start_ns, wall_ns, wait_ns, preempted_ns, waits, preemptions,
    minor_faults, major_faults)
  SELECT id, 1, 1, id, 1000 * id, 3000, 3000, 0, waits, 0, 0, major_faults FROM more;
UPDATE gaps SET wait_ns = 2999 WHERE frame_id = 40;
DROP TABLE more;
UPDATE function_stats SET self_wait_ns = 1 WHERE function_id IN (2, 4, 5, 6) OR function_id > 20;
