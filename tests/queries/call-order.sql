-- negative: work always comes after parse, but only in main
.read tests/fixtures/small.sql
INSERT INTO callee_transitions VALUES (1, 0, 2, 2, 1), (1, 2, 4, 2, 1),
-- positive: log_line after ns::next, in two callers: to be encapsulated
  (5, 3, 6, 1, 10), (1, 3, 6, 1, 1),
-- negative: ns::next, which is first, or after work
  (2, 0, 3, 2, 2), (2, 4, 3, 1, 2);
-- edge: unused is called by nobody; parse is always the first
-- negatives: a destructor, and a function that only hands out a value
INSERT INTO functions(id, module_id, address, size, name, linkage_name, file_id, line, instrumented, stable_id) VALUES
  (8, 1, 0x1700, 90, 'Guard::~Guard()', NULL, 1, 80, 1, 's8'), (9, 1, 0x1800, 79, 'size', NULL, 1, 81, 1, 's9'),
  (10, 1, 0x1900, 80, 'resize', NULL, 1, 82, 1, 's10');
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished,
    child_calls, calling, single_child_calls, callees, callers, root_calls,
    unwound, open, first_call_id, depth_max, nesting_max, recursive_calls, direct_recursive_calls, sequences)
  SELECT id, 3, 9, 9, 9, 9, 3, 2, 3, 3, 1, 1, 0, 0, 0, 3, 2, 3, 2, 2, 1 FROM functions WHERE id >= 8;
INSERT INTO callee_transitions VALUES (1, 2, 8, 5, 1), (5, 2, 8, 5, 1), (1, 2, 9, 5, 1), (5, 2, 9, 5, 1),
-- edge: as small as can be
  (1, 2, 10, 5, 1), (5, 2, 10, 5, 1);
UPDATE functions SET size = 80 WHERE id IN (2, 3, 4, 6);
