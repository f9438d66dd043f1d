-- title:       Thread functions
-- question:    What did each thread call, and for how long?
-- group:       Coverage and threads
-- description: Which thread called which functions, how often, and how much processor time it spent there. The
--              threads with the most come first.
-- advice:      Threads with the same functions are a pool: their times should be similar. A
--              function that many threads share needs its data to be safe for that; see
--              thread-exclusive for the others. Filter with --thread. The time of functions of
--              system headers counts for the own code that led there; threads share it in
--              proportion to their calls.
-- source:      rollup by thread and function
-- report:      none
-- param:       by = 'cpu' | cpu/wall/wait | order and share by processor time, all time, or waiting
-- param:       min_calls = 1 | calls | leave out functions that the thread called less often
-- column:      thread | - | name of the thread
-- column:      tid | - | its id in the system
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      calls | calls | calls in the thread
-- column:      self_cpu_ns | ns | processor time in its own code there
-- column:      share | % | of the thread's
-- column:      cpu_ns | ns | processor time with callees
-- column:      self_wait_ns | ns | time it waited in its own code there
-- column:      self_ns | ns | all time in its own code there
-- column:      threads | threads | that call the function at all
-- column:      first_call | id | calls.id of its first call in the thread
-- column:      self_put_aside_ns | ns | time put aside by the scheduler in its own code there
WITH params AS (SELECT coalesce(:min_calls, 1) AS min_calls, coalesce(:by, 'cpu') AS by),
     weighed AS MATERIALIZED (
       SELECT tf.*, CASE params.by WHEN 'wall' THEN tf.self_ns WHEN 'wait' THEN tf.self_wait_ns ELSE tf.self_cpu_ns END AS weight
       FROM thread_functions tf CROSS JOIN params),
     whole AS (SELECT thread_id, sum(weight) AS weight FROM weighed GROUP BY thread_id),
     shared AS (SELECT function_id, count(*) AS threads FROM thread_functions GROUP BY function_id)
SELECT t.name AS thread,
       t.tid,
       f.name AS function,
       f.location,
       tf.calls,
       tf.self_cpu_ns,
       round(100.0 * tf.weight / nullif(whole.weight, 0), 1) AS share,
       tf.cpu_ns,
       tf.self_wait_ns,
       tf.self_ns,
       shared.threads,
       tf.first_call_id AS first_call,
       tf.self_preempted_ns AS self_put_aside_ns
FROM weighed tf
     JOIN whole ON whole.thread_id = tf.thread_id
     JOIN threads t ON t.id = tf.thread_id
     JOIN function_details f ON f.id = tf.function_id
     JOIN shared ON shared.function_id = tf.function_id
     CROSS JOIN params
WHERE tf.calls >= params.min_calls
ORDER BY whole.weight DESC, tf.thread_id, tf.weight DESC, tf.self_ns DESC, tf.calls DESC, tf.function_id
