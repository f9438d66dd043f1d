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
-- last, too: answer, which serve calls, for code that was not reached calls serve; epilogue, which one of two threads
-- that begin with worker called once; positive: work_on, which that one called twice
INSERT INTO functions(id, module_id, address, size, name, file_id, line, instrumented, stable_id, call_sources) VALUES
  (11, 1, 0x1b00, 32, 'serve', NULL, 100, 1, 's11', 1), (12, 1, 0x1c00, 32, 'answer', NULL, 110, 1, 's12', 0),
  (13, 1, 0x1d00, 32, 'epilogue', NULL, 120, 1, 's13', 0), (14, 1, 0x1e00, 32, 'work_on', NULL, 130, 1, 's14', 0);
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished, child_calls, calling,
    single_child_calls, callees, callers, root_calls, unwound, open, depth_max, nesting_max, recursive_calls,
    direct_recursive_calls, sequences)
  SELECT id, 2, 20000, 20000, 20000, 20000, 2, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1 FROM functions WHERE id > 10;
INSERT INTO threads(id, process_id, tid, name, start_ns, end_ns, first_call_id, last_call_id, calls, counted_calls,
    raw_self_ns, self_ns) VALUES (4, 1, 103, 'pool', 0, 100000, 20, 20, 1, 0, 0, 0);
INSERT INTO calls(id, thread_id, frame_id, depth, enter_ns, duration_ns, parent_distance, descendants, children_ns, ended)
  SELECT 20, 4, frame_id, 0, 21000, 10, NULL, 0, 0, 0 FROM calls WHERE id = 10;
INSERT INTO thread_functions(thread_id, function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns,
    first_call_id, last_call_id) VALUES
  (2, 11, 2, 20000, 20000, 20000, 20000, 11, 11), (2, 12, 2, 20000, 20000, 20000, 20000, 11, 11),
  (4, 13, 1, 20000, 20000, 20000, 20000, 20, 20), (4, 14, 2, 20000, 20000, 20000, 20000, 20, 20);
INSERT INTO edges(id, caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns,
    first_call_id, slowest_call_id) VALUES (11, 11, NULL, 12, 2, 10, 10, 5, 5, 11, NULL);
-- parameters: by_name=1
