-- positive: who called what
.read tests/fixtures/small.sql
-- negative: a function that the thread called less often than asked for
-- edge: a function of two threads
INSERT INTO thread_functions(thread_id, function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns,
    first_call_id, last_call_id) VALUES
  (2, 3, 2, 10, 10, 10, 10, 12, 13);
-- parameters: min_calls=2
