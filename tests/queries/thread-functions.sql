-- positive: who called what; the two threads of the pool that run worker are one row, with -p merge=1
.read tests/fixtures/small.sql
-- negative: a function that the thread called less often than asked for
-- edge: a function of two threads; the thread with most time first, whatever its id
INSERT INTO thread_functions(thread_id, function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns,
    first_call_id, last_call_id, self_preempted_ns, preempted_ns) VALUES
  (2, 3, 2, 90000, 90000, 90000, 90000, 12, 13, 1000, 1000);
-- edge: a thread of the same name in another role, by work
INSERT INTO threads(id, process_id, tid, name, calls) VALUES (3, 1, 102, 'worker', 4), (4, 1, 103, 'worker', 3);
INSERT INTO thread_functions(thread_id, function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, first_call_id,
    last_call_id) VALUES
  (3, 5, 1, 50000, 40000, 50000, 40000, 14, 14), (3, 3, 3, 10000, 10000, 10000, 10000, 15, 17),
  (4, 4, 3, 30000, 30000, 30000, 30000, 18, 20);
-- parameters: min_calls=2 merge=1
