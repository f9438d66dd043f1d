-- positive: who called what
.read tests/fixtures/small.sql
-- negative: a function that the thread called less often than asked for
-- edge: a function of two threads; the thread with most time first, whatever its id
INSERT INTO thread_functions(thread_id, function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns,
    first_call_id, last_call_id, self_preempted_ns, preempted_ns) VALUES
  (2, 3, 2, 90000, 90000, 90000, 90000, 12, 13, 1000, 1000);
-- parameters: min_calls=2
