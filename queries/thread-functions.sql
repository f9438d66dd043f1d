-- title:       Thread functions
-- question:    What did each thread call, and for how long?
-- group:       Coverage and threads
-- description: Which thread called which functions, how often, and how much processor time it spent there. The
--              threads with the most come first.
-- advice:      Threads with the same functions are a pool: their times should be similar. A
--              function that many threads share needs its data to be safe for that; see
--              thread-exclusive for the others. Filter with --thread. The time of functions of
--              system headers counts for the own code that led there; threads share it in
--              proportion to their calls. Threads of one name that run different functions differ in
--              role; -p merge=1 adds up those that are alike in both.
-- source:      rollup by thread and function
-- report:      none
-- param:       by = 'cpu' | cpu/wall/wait | order and share by processor time, all time, or waiting
-- param:       min_calls = 1 | calls | leave out functions that the thread called less often
-- param:       merge = 0 | - | 1: one row for the threads of one name and role
-- column:      thread | - | name of the thread
-- column:      tid | - | its id in the system; of merged ones the first
-- column:      role | function | what it runs: of the functions with half its time and more, the one that fewest threads call
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
-- column:      merged | threads | that the row adds up
WITH params AS (SELECT coalesce(:min_calls, 1) AS min_calls, coalesce(:by, 'cpu') AS by, coalesce(:merge, 0) AS merge),
     shared AS MATERIALIZED (SELECT function_id, count(*) AS threads FROM thread_functions GROUP BY function_id),
     roles AS MATERIALIZED (
       SELECT thread_id, function_id
       FROM (SELECT tf.thread_id, tf.function_id,
                    row_number() OVER (PARTITION BY tf.thread_id
                                       ORDER BY shared.threads, tf.total_ns DESC, tf.first_call_id, tf.function_id) AS place
             FROM thread_functions tf
                  JOIN (SELECT thread_id, max(total_ns) AS total_ns FROM thread_functions GROUP BY thread_id) longest
                    ON longest.thread_id = tf.thread_id
                  JOIN shared ON shared.function_id = tf.function_id
             WHERE 2 * tf.total_ns >= longest.total_ns)
       WHERE place = 1),
     lanes AS MATERIALIZED ( -- what gets rows of its own: a thread, or those of one name and role
       SELECT r.thread_id, r.function_id AS role_id,
              CASE params.merge WHEN 0 THEN r.thread_id ELSE min(r.thread_id) OVER (PARTITION BY t.name, r.function_id) END AS id
       FROM roles r JOIN threads t ON t.id = r.thread_id CROSS JOIN params),
     weighed AS MATERIALIZED (
       SELECT l.id AS lane_id, l.role_id, tf.function_id, sum(tf.calls) AS calls, sum(tf.self_cpu_ns) AS self_cpu_ns,
              sum(tf.cpu_ns) AS cpu_ns, sum(tf.self_wait_ns) AS self_wait_ns, sum(tf.self_ns) AS self_ns,
              min(tf.first_call_id) AS first_call_id, sum(tf.self_preempted_ns) AS self_preempted_ns, count(*) AS merged,
              sum(CASE params.by WHEN 'wall' THEN tf.self_ns WHEN 'wait' THEN tf.self_wait_ns ELSE tf.self_cpu_ns END) AS weight
       FROM thread_functions tf JOIN lanes l ON l.thread_id = tf.thread_id CROSS JOIN params
       GROUP BY l.id, tf.function_id),
     whole AS (SELECT lane_id, sum(weight) AS weight FROM weighed GROUP BY lane_id)
SELECT t.name AS thread,
       t.tid,
       r.name AS role,
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
       tf.self_preempted_ns AS self_put_aside_ns,
       tf.merged
FROM weighed tf
     JOIN whole ON whole.lane_id = tf.lane_id
     JOIN threads t ON t.id = tf.lane_id
     JOIN function_details f ON f.id = tf.function_id
     JOIN functions r ON r.id = tf.role_id
     JOIN shared ON shared.function_id = tf.function_id
     CROSS JOIN params
WHERE tf.calls >= params.min_calls
ORDER BY whole.weight DESC, tf.lane_id, tf.weight DESC, tf.self_ns DESC, tf.calls DESC, tf.function_id
