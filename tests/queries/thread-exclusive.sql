-- positive: each function of the small run was called by one thread
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
-- parameters: by_name=1
