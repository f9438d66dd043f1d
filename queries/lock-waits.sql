-- title:       Lock waits
-- question:    Where was waited for locks, threads and the like?
-- group:       Time
-- description: Functions in whose own code threads waited, for a lock, a condition, another thread: all that
--              waited but what says by its name that it sleeps, or waits for input, output or files.
-- advice:      Many waits of several threads are contention: hold the lock for less, or give each thread its
--              own. A long longest_ns with a small mean_ns is contention at that instant: look at what
--              the other threads did then (fisql trace --since). Waiting for work in an idle pool is no
--              problem: outermost functions of threads, where event loops wait, come last. Locks
--              taken by code without hooks (pthread_mutex_lock) count to whoever called it;
--              `fisql query waiting` has all waits.
-- source:      the table gaps: what a thread's processor clock says of each long gap between two events
-- report:      findings
-- param:       pattern = NULL | - | names to take (all but those of sleep, input and output)
-- param:       min_total_ns = 1000 | ns | leave out functions that waited less
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      calls | calls | calls
-- column:      wait_ns | ns | time waited in its own code
-- column:      waits | waits | how often
-- column:      threads | threads | that waited there
-- column:      mean_ns | ns | a wait, on average
-- column:      longest_ns | ns | the longest wait
-- column:      longest_at_ns | ns | when that began, since the run's start
-- column:      thread | - | in which thread
-- column:      longest_call | id | calls.id of the call with the longest wait
-- column:      stack | stack | its stack, outermost first
WITH RECURSIVE
     params AS (SELECT :pattern AS pattern, coalesce(:min_total_ns, 1000) AS min_total_ns),
     named AS (
       SELECT f.id, lower(f.name) AS name, f.name AS exact FROM functions f
            JOIN function_stats s ON s.function_id = f.id AND s.self_wait_ns > 0),
     chosen AS MATERIALIZED (
       SELECT n.id FROM named n CROSS JOIN params
       WHERE CASE WHEN params.pattern IS NOT NULL THEN n.exact GLOB params.pattern
                  ELSE n.name NOT GLOB '*sleep*' AND n.name NOT GLOB 'nap*' AND n.name NOT GLOB '*_nap*'
                       AND n.name NOT GLOB '*read' AND n.name NOT GLOB '*read_*' AND n.name NOT GLOB 'write*'
                       AND n.name NOT GLOB '*_write*' AND n.name NOT GLOB '*poll*' AND n.name NOT GLOB '*select*'
                       AND n.name NOT GLOB '*accept*' AND n.name NOT GLOB '*recv*' AND n.name NOT GLOB '*receive*'
                       AND n.name NOT GLOB '*send*' AND n.name NOT GLOB '*flush*' AND n.name NOT GLOB '*sync_file*'
                       AND n.name NOT GLOB '*dir' AND n.name NOT GLOB '*dir_*' AND n.name NOT GLOB '*open*'
                       AND n.name NOT GLOB '*unlink*' AND n.name NOT GLOB '*rename*' AND n.name NOT GLOB '*fsync*'
                       AND n.name NOT GLOB '*print*' END),
     waited AS MATERIALIZED (
       SELECT fr.function_id, sum(g.wait_ns) AS wait_ns, count(*) AS waits, max(g.wait_ns) AS longest_ns,
              count(DISTINCT g.thread_id) AS threads, g.start_ns, g.thread_id, g.call_id, g.frame_id
       FROM gaps g JOIN frames fr ON fr.id = g.frame_id JOIN chosen ON chosen.id = fr.function_id CROSS JOIN params
       WHERE g.wait_ns > 0
       GROUP BY fr.function_id HAVING sum(g.wait_ns) >= params.min_total_ns),
     walk(function_id, frame_id, text) AS (
       SELECT w.function_id, fr.parent_id, f.name
       FROM waited w JOIN frames fr ON fr.id = w.frame_id JOIN functions f ON f.id = fr.function_id
       UNION ALL
       SELECT w.function_id, fr.parent_id, f.name || ' => ' || w.text
       FROM walk w JOIN frames fr ON fr.id = w.frame_id JOIN functions f ON f.id = fr.function_id
       WHERE coalesce(fr.parent_id, 0) < fr.id)
SELECT f.name AS function,
       f.location,
       s.calls,
       w.wait_ns,
       w.waits,
       w.threads,
       w.wait_ns / w.waits AS mean_ns,
       w.longest_ns,
       w.start_ns AS longest_at_ns,
       t.name AS thread,
       w.call_id AS longest_call,
       (SELECT text FROM walk WHERE walk.function_id = w.function_id AND frame_id IS NULL) AS stack
FROM waited w
     JOIN function_details f ON f.id = w.function_id
     JOIN function_stats s ON s.function_id = w.function_id
     LEFT JOIN threads t ON t.id = w.thread_id
     JOIN frames fr ON fr.id = w.frame_id
ORDER BY fr.parent_id IS NULL, w.wait_ns DESC, w.function_id
