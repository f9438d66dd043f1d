-- title:       Lock waits
-- question:    Where was waited for locks, threads and the like?
-- group:       Time
-- description: Time spent in functions that take a lock or wait, by their names: instrumented wrappers
--              of pthread_mutex_lock, condition waits and the like.
-- advice:      A long longest_ns with a small mean is contention at that instant: look at what the
--              other threads did then (fisql trace --since). Waiting for work in an idle pool is no
--              problem. The names are a guess: give your own with -p pattern='*Mutex*'. Locks taken
--              by code without hooks count to whoever called it.
-- source:      by name; the time is the functions' own with callees
-- report:      findings
-- param:       pattern = NULL | - | names to take (those with lock, wait or acquire in them, joins and sleeps)
-- param:       min_total_ns = 1000 | ns | leave out functions with less time
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      calls | calls | calls
-- column:      total_ns | ns | time with callees, outermost activations
-- column:      mean_ns | ns a call | mean of the finished calls
-- column:      longest_ns | ns | the longest call
-- column:      longest_at_ns | ns | when that began, since the run's start
-- column:      thread | - | in which thread
-- column:      longest_call | id | its calls.id
-- column:      stack | stack | its stack, outermost first
WITH RECURSIVE
     params AS (SELECT :pattern AS pattern, coalesce(:min_total_ns, 1000) AS min_total_ns),
     named AS (
       SELECT f.id, lower(f.name) AS name, f.name AS exact FROM functions f
            JOIN function_stats s ON s.function_id = f.id),
     waiting AS MATERIALIZED (
       SELECT s.function_id, s.calls, s.total_ns, s.mean_ns, s.max_ns, s.slowest_call_id
       FROM named n CROSS JOIN params JOIN function_stats s ON s.function_id = n.id
       WHERE s.total_ns >= params.min_total_ns
         AND CASE WHEN params.pattern IS NOT NULL THEN n.exact GLOB params.pattern
                  ELSE (n.name GLOB '*lock*' OR n.name GLOB '*wait*' OR n.name GLOB '*acquire*' OR
                        n.name GLOB 'sleep*' OR n.name GLOB '*[_nu]sleep' OR
                        n.name GLOB '*_join*')
                       AND n.name NOT GLOB '*unlock*' AND n.name NOT GLOB '*block*'
                       AND n.name NOT GLOB '*clock*' AND n.name NOT GLOB '*await_ready*'
                       AND n.name NOT GLOB '*nolock*' AND n.name NOT GLOB '*lockless*'
                       AND n.name NOT GLOB '*no_wait*' AND n.name NOT GLOB '*nowait*'
                       AND n.name NOT GLOB '*dontwait*' END),
     walk(call_id, frame_id, text) AS (
       SELECT c.id, fr.parent_id, f.name
       FROM waiting w CROSS JOIN calls c ON c.id = w.slowest_call_id
            JOIN frames fr ON fr.id = c.frame_id JOIN functions f ON f.id = fr.function_id
       UNION ALL
       SELECT w.call_id, fr.parent_id, f.name || ' => ' || w.text
       FROM walk w JOIN frames fr ON fr.id = w.frame_id JOIN functions f ON f.id = fr.function_id
       WHERE coalesce(fr.parent_id, 0) < fr.id)
SELECT f.name AS function,
       f.location,
       w.calls,
       w.total_ns,
       round(w.mean_ns, 1) AS mean_ns,
       w.max_ns AS longest_ns,
       c.enter_ns AS longest_at_ns,
       t.name AS thread,
       w.slowest_call_id AS longest_call,
       (SELECT text FROM walk WHERE call_id = w.slowest_call_id AND frame_id IS NULL) AS stack
FROM waiting w
     JOIN function_details f ON f.id = w.function_id
     LEFT JOIN calls c ON c.id = w.slowest_call_id
     LEFT JOIN threads t ON t.id = c.thread_id
ORDER BY w.total_ns DESC, w.function_id
