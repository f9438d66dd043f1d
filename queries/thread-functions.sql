-- title:       Thread functions
-- question:    What did each thread call, and for how long?
-- group:       Coverage and threads
-- description: Which thread called which functions, how often, and how much of its own time it spent there.
-- advice:      Threads with the same functions are a pool: their times should be alike. A function that
--              many threads share needs its data to be safe for that; see thread-exclusive for the
--              others. Filter with --thread.
-- source:      rollup by thread and function
-- report:      none
-- param:       min_calls = 1 | calls | leave out functions that the thread called less often
-- column:      thread | - | name of the thread
-- column:      tid | - | its id in the system
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      calls | calls | calls in the thread
-- column:      self_ns | ns | time in its own code there
-- column:      share | % | of the thread's self time
-- column:      total_ns | ns | time with callees
-- column:      threads | threads | that call the function at all
-- column:      first_call | id | calls.id of its first call in the thread
WITH params AS (SELECT coalesce(:min_calls, 1) AS min_calls),
     shared AS (SELECT function_id, count(*) AS threads FROM thread_functions GROUP BY function_id)
SELECT t.name AS thread,
       t.tid,
       f.name AS function,
       f.location,
       tf.calls,
       tf.self_ns,
       round(100.0 * tf.self_ns / nullif(t.self_ns, 0), 2) AS share,
       tf.total_ns,
       shared.threads,
       tf.first_call_id AS first_call
FROM thread_functions tf
     JOIN threads t ON t.id = tf.thread_id
     JOIN function_details f ON f.id = tf.function_id
     JOIN shared ON shared.function_id = tf.function_id
     CROSS JOIN params
WHERE tf.calls >= params.min_calls
ORDER BY tf.thread_id, tf.self_ns DESC, tf.calls DESC, tf.function_id
