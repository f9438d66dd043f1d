-- positive: parse calls ns::next in each of its calls
.read tests/fixtures/small.sql
-- negative: main calls two functions
-- edge: a function that calls only itself has no callee to merge with
INSERT INTO functions(id, module_id, address, size, name, linkage_name, file_id, line, instrumented, stable_id)
  VALUES (8, 1, 0x1700, 8, 'self', NULL, 1, 80, 1, 's8');
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished,
    child_calls, calling, single_child_calls, callees, callers, root_calls,
    unwound, open, first_call_id, depth_max, nesting_max, recursive_calls, direct_recursive_calls, sequences)
  VALUES (8, 3, 9, 9, 9, 9, 3, 2, 3, 3, 1, 1, 0, 0, 0, 3, 2, 3, 2, 2, 1);
INSERT INTO edges VALUES (7, 8, 1, 8, 3, 9, 9, 9, 9, 3, 3);
