-- positive: parse and work were called by one thread; main and worker begin threads
.read tests/fixtures/small.sql
-- negative: log_line, now also called by the first thread
INSERT INTO thread_functions(thread_id, function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns,
    first_call_id, last_call_id) VALUES
  (1, 6, 1, 10, 10, 10, 10, 9, 9);
-- edge: ns::next was called by two threads of one name, which by_name takes together
INSERT INTO threads(id, process_id, tid, name, start_ns, end_ns, first_call_id, last_call_id, calls, counted_calls,
    raw_self_ns, self_ns) VALUES
  (3, 1, 102, 'shop', 0, 100000, NULL, NULL, 1, 0, 0, 0);
INSERT INTO thread_functions(thread_id, function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns,
    first_call_id, last_call_id) VALUES
  (3, 3, 1, 10, 10, 10, 10, 9, 9);
-- last: flush, which log_line calls, that both threads ran; retry, which code calls that did not run
INSERT INTO functions(id, module_id, address, size, name, file_id, line, instrumented, stable_id, call_sources) VALUES
  (8, 1, 0x1800, 32, 'flush', 2, 80, 1, 's8', 1), (9, 1, 0x1900, 32, 'retry', 2, 90, 1, 's9', 2);
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished, child_calls, calling,
    single_child_calls, callees, callers, root_calls, unwound, open, depth_max, nesting_max, recursive_calls,
    direct_recursive_calls, sequences)
  SELECT id, 1, 50000, 50000, 50000, 50000, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1 FROM functions WHERE id IN (8, 9);
INSERT INTO thread_functions(thread_id, function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns,
    first_call_id, last_call_id) VALUES
  (1, 8, 1, 50000, 50000, 50000, 50000, 9, 9), (1, 9, 1, 40000, 40000, 40000, 40000, 9, 9);
INSERT INTO edges(id, caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns,
    first_call_id, slowest_call_id) VALUES
  (8, 6, 7, 8, 1, 10, 10, 5, 5, 9, NULL), (9, 1, 3, 9, 1, 10, 10, 5, 5, 9, NULL);
-- edge: hook, which main called through a pointer, is called by name by code that was not reached
INSERT INTO functions(id, module_id, address, size, name, file_id, line, instrumented, stable_id, call_sources)
  VALUES (10, 1, 0x1a00, 32, 'hook', 2, 95, 1, 's10', 1);
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished, child_calls, calling,
    single_child_calls, callees, callers, root_calls, unwound, open, depth_max, nesting_max, recursive_calls,
    direct_recursive_calls, sequences)
  VALUES (10, 1, 30000, 30000, 30000, 30000, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1);
INSERT INTO thread_functions(thread_id, function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns,
    first_call_id, last_call_id) VALUES (1, 10, 1, 30000, 30000, 30000, 30000, 9, 9);
INSERT INTO sites(id, module_id, address, function_id, file_id, line, indirect) VALUES (10, 1, 0x1030, 1, 1, 16, 1);
INSERT INTO edges(id, caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns,
    first_call_id, slowest_call_id) VALUES (10, 1, 10, 10, 1, 10, 10, 5, 5, 9, NULL);
-- parameters: by_name=1
