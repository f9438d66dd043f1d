-- The first cases: directly after another, within one call.
-- negative: work always comes after parse, but only in main
.read tests/fixtures/small.sql
INSERT INTO callee_transitions VALUES (1, 0, 2, 2, 1), (1, 2, 4, 2, 1),
-- positive: log_line after ns::next, in two callers: to be encapsulated
  (5, 3, 6, 1, 10), (1, 3, 6, 1, 1),
-- negative: ns::next, which is first, or after work
  (1, 4, 3, 1, 1), (5, 0, 3, 1, 10), (2, 0, 4, 1, 2), (2, 0, 3, 2, 2), (2, 4, 3, 1, 2);
-- edge: unused is called by nobody; parse is always the first
-- negatives: a destructor, and a function that only hands out a value
INSERT INTO functions(id, module_id, address, size, name, linkage_name, file_id, line, instrumented, stable_id) VALUES
  (8, 1, 0x1700, 90, 'Guard::~Guard()', NULL, 1, 80, 1, 's8'), (9, 1, 0x1800, 79, 'size', NULL, 1, 81, 1, 's9'),
  (10, 1, 0x1900, 80, 'resize', NULL, 1, 82, 1, 's10');
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished,
    child_calls, calling, single_child_calls, callees, callers, root_calls,
    unwound, open, first_call_id, depth_max, nesting_max, recursive_calls, direct_recursive_calls, sequences)
  SELECT id, 3, 9, 9, 9, 9, 3, 2, 3, 3, 1, 1, 0, 0, 0, 3, 2, 3, 2, 2, 1 FROM functions WHERE id >= 8;
INSERT INTO callee_transitions VALUES (5, 0, 2, 5, 1), (1, 2, 8, 5, 1), (5, 2, 8, 5, 1), (1, 2, 9, 5, 1), (5, 2, 9, 5, 1),
-- edge: as small as can be
  (1, 2, 10, 5, 1), (5, 2, 10, 5, 1);
UPDATE functions SET size = 80 WHERE id IN (2, 3, 4, 6);
-- ---- somewhere before, within one call
INSERT INTO functions(id, module_id, address, size, name, linkage_name, file_id, line, instrumented, stable_id)
  SELECT value + 20, 1, 0x2000 + value, 100, json_extract('["begin_work","end_work","step","other_step","ask","drop_row",
    "log_open","log_write","table_make","table_look","hidden_first","hidden_second"]', '$[' || value || ']'), NULL, 1, 100 + value, 1, 's' || (value + 20)
  FROM generate_series(0, 11)
  UNION ALL
  SELECT value, 1, 0x3000 + value, 100, 'caller_' || value, NULL, 2, value, 1, 's' || value FROM generate_series(40, 59);
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished,
    child_calls, calling, single_child_calls, callees, callers, root_calls, unwound, open, first_enter_ns, first_call_id, last_exit_ns,
    depth_max, nesting_max, recursive_calls, direct_recursive_calls, sequences)
  SELECT id, 3, 9, 9, 9, 9, 3, 2, 3, 3, 1, 2, 0, 0, 0, 500 + id, id, 600, 2, 3, 0, 0, 1 FROM functions WHERE id >= 20;
INSERT INTO callee_transitions VALUES
-- positive: begin_work before end_work, with a step between
  (40, 0, 20, 2, 140), (40, 20, 22, 2, 140), (40, 22, 21, 2, 140),
  (41, 0, 23, 3, 141), (41, 23, 20, 3, 141), (41, 20, 23, 3, 141), (41, 23, 21, 3, 141),
-- (that caller_41 began with begin_work by no other way, its whole calls say below)
-- negatives: other_step after begin_work, which it comes before as well; step, in one caller
-- positive, broken: drop_row without ask in caller_47 of six
  (42, 0, 24, 1, 142), (42, 24, 25, 1, 142), (43, 0, 24, 1, 143), (43, 24, 25, 1, 143), (44, 0, 24, 1, 144), (44, 24, 25, 1, 144),
  (45, 0, 24, 1, 145), (45, 24, 25, 1, 145), (46, 0, 24, 1, 146), (46, 24, 22, 1, 146), (46, 22, 25, 1, 146),
  (47, 0, 22, 1, 147), (47, 22, 25, 1, 147),
-- negative: hidden_second can come without hidden_first, by what is known of caller_49
  (48, 0, 30, 1, 148), (48, 30, 31, 1, 148), (49, 0, 30, 1, 149), (49, 30, 23, 1, 149), (49, 0, 23, 1, 159), (49, 23, 31, 1, 149),
-- ---- once in each thread: log_open, but in the last one
  (5, 0, 26, 5, 200), (50, 0, 27, 5, 201), (51, 0, 27, 5, 202),
-- ---- once in the run: table_make before table_look. Negative: begin_work, which was called more often
  (52, 0, 28, 1, 203), (53, 0, 29, 2, 204), (54, 0, 29, 1, 205);
INSERT INTO threads(id, process_id, tid, name, start_ns, end_ns, first_call_id, last_call_id, calls, counted_calls, raw_self_ns, self_ns)
  SELECT value, 1, 100 + value, 'worker', 20000, 90000, 100 * value, 100 * value + 99, 2, 0, 70000, 70000 FROM generate_series(3, 8);
INSERT INTO thread_functions(thread_id, function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, first_call_id, last_call_id)
  SELECT value, 26, 1, 9, 9, 9, 9, 100 * value + 1, 100 * value + 1 FROM generate_series(3, 7)
  UNION ALL SELECT value, 27, 2, 9, 9, 9, 9, 100 * value + 2, 100 * value + 3 FROM generate_series(3, 8)
  UNION ALL VALUES (3, 28, 1, 9, 9, 9, 9, 350, 350), (3, 29, 3, 9, 9, 9, 9, 351, 355);
UPDATE function_stats SET calls = 5, callers = 1, open = 0 WHERE function_id = 26;
UPDATE function_stats SET calls = 12 WHERE function_id = 27;
UPDATE function_stats SET calls = 1, callers = 1, last_exit_ns = 528 WHERE function_id = 28;
INSERT INTO call_sequences VALUES (41, 1, 3, '23 20 23 21', 4, 141);
