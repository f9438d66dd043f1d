-- positive: worker makes one call, of log_line
.read tests/fixtures/small.sql
-- negative: parse calls one function too, but several times
-- edge: a function that calls itself once is recursive, not a proxy
INSERT INTO functions(id, module_id, address, size, name, linkage_name, file_id, line, instrumented, stable_id)
  VALUES (8, 1, 0x1700, 8, 'self', NULL, 1, 80, 1, 's8');
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished,
    min_ns, max_ns, mean_ns, m2, child_calls, calling, single_child_calls, callees, callers, root_calls,
    unwound, open, first_call_id, depth_max, nesting_max, recursive_calls, direct_recursive_calls, sequences)
  VALUES (8, 3, 9, 9, 9, 9, 3, 3, 3, 3.0, 0, 3, 3, 3, 1, 1, 0, 0, 0, 3, 2, 3, 2, 2, 1);
INSERT INTO edges VALUES (7, 8, 1, 8, 3, 9, 9, 9, 9, 3, 3);
-- parameters: min_calls=1
