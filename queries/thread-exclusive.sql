-- title:       Thread-exclusive functions
-- question:    Which functions does just one thread call?
-- group:       Coverage and threads
-- description: Functions that only one thread called, or only threads of one name, in runs with several
--              threads.
-- advice:      What only one thread touches needs no lock and can be moved into that thread's
--              module. The advice is wrong where the run was too short for other threads to come there,
--              or where it is chance which thread takes the work.
-- source:      thread confinement: Goetz et al., Java Concurrency in Practice, 3.3
-- report:      overview
-- param:       by_name = 0 | 0 or 1 | 1 = count threads of the same name as one
-- param:       min_calls = 1 | calls | leave out functions with fewer calls
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      thread | - | name of the thread
-- column:      tid | - | its id in the system, NULL where by_name took several together
-- column:      calls | calls | calls
-- column:      self_cpu_ns | ns | processor time in its own code
-- column:      first_call | id | calls.id of its first call
WITH params AS (SELECT coalesce(:by_name, 0) AS by_name, coalesce(:min_calls, 1) AS min_calls),
     several AS (SELECT count(*) > 1 AS yes FROM threads WHERE calls + counted_calls > 0),
     callers AS (
       SELECT tf.function_id, sum(tf.calls) AS calls, sum(tf.self_cpu_ns) AS self_cpu_ns,
              count(DISTINCT tf.thread_id) AS threads,
              count(DISTINCT coalesce(t.name, '#' || t.id)) AS names,
              min(t.name) AS name, min(t.tid) AS tid, min(tf.first_call_id) AS first_call
       FROM thread_functions tf JOIN threads t ON t.id = tf.thread_id
       GROUP BY tf.function_id)
SELECT f.name AS function,
       f.location,
       c.name AS thread,
       CASE c.threads WHEN 1 THEN c.tid END AS tid,
       c.calls,
       c.self_cpu_ns,
       c.first_call
FROM callers c
     JOIN function_details f ON f.id = c.function_id
     CROSS JOIN params CROSS JOIN several
WHERE several.yes AND c.calls >= params.min_calls
  AND (c.threads = 1 OR (params.by_name AND c.names = 1))
ORDER BY c.name, c.tid, c.calls DESC, c.function_id
