-- title:       Waiting
-- question:    Where did threads wait, and for how long?
-- group:       Time
-- description: Where threads waited: for locks, input and output, sleep, other threads, whatever the
--              kernel put them to sleep for. By function and the stack that led there. Outermost
--              functions of threads, where pools and event loops wait for work, come last. If library
--              calls were recorded, it is what was waited in: read, fdatasync, pthread_cond_wait.
-- advice:      A worker that waits for work in an idle pool is no problem. A wait within a request,
--              or many short ones under a lock that several threads take, is one: see what the
--              other threads did then (fisql trace --since). put_aside_ns is time when the thread
--              wanted to run and had no processor: more threads than cores.
-- source:      the thread's processor clock, read at the end of each gap between two events that is longer
--              than run.gap_ns; what is shorter than that is not seen
-- needs:       waits
-- libraries:   shown
-- report:      findings
-- param:       min_wait_ns = 1000 | ns | leave out contexts that waited less
-- param:       stacks = 100 | rows | give the stacks for this many rows
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      wait_ns | ns | time it waited in its own code and in what has no hooks
-- column:      share | % | of all that was waited within outermost functions' calls; for those, in them
-- column:      waits | waits | how often it waited
-- column:      mean_wait_ns | ns | mean
-- column:      longest_wait_ns | ns | longest of them
-- column:      longest_at_ns | ns | when that began, since the run's start
-- column:      threads | threads | that waited here
-- column:      put_aside_ns | ns | time put aside by the scheduler here
-- column:      page_fault_ns | ns | part of wait_ns that went by with pages being read from files
-- column:      longest_call | id | calls.id of the call with the longest wait
-- column:      stack | stack | its callers, outermost first
WITH RECURSIVE
     params AS (SELECT coalesce(:min_wait_ns, 1000) AS min_wait_ns, coalesce(:stacks, 100) AS stacks),
     places AS MATERIALIZED (
       SELECT frame_id, sum(wait_ns) AS wait_ns, sum(wait_ns > 0) AS waits, max(wait_ns) AS longest_ns,
              count(DISTINCT CASE WHEN wait_ns > 0 THEN thread_id END) AS threads,
              sum(preempted_ns) AS preempted_ns, start_ns, call_id,
              sum(CASE WHEN major_faults > 0 AND 2 * major_faults >= coalesce(waits, 0) THEN wait_ns ELSE 0 END) AS page_fault_ns
       FROM gaps WHERE NOT paused GROUP BY frame_id),
     sorted AS MATERIALIZED ( -- outside of any call is as far out
       SELECT p.*, fr.parent_id IS NULL AS outermost,
              sum(p.wait_ns) OVER (PARTITION BY fr.parent_id IS NULL) AS alike_wait_ns
       FROM places p LEFT JOIN frames fr ON fr.id = p.frame_id),
     chosen AS MATERIALIZED (
       SELECT p.*, row_number() OVER (ORDER BY p.outermost, p.wait_ns DESC, p.frame_id) AS place
       FROM sorted p CROSS JOIN params WHERE p.waits > 0 AND p.wait_ns >= params.min_wait_ns),
     walk(leaf_id, frame_id, text) AS (
       SELECT chosen.frame_id, fr.parent_id, f.name
       FROM chosen CROSS JOIN params JOIN frames fr ON fr.id = chosen.frame_id
            JOIN functions f ON f.id = fr.function_id
       WHERE chosen.place <= params.stacks
       UNION ALL
       SELECT w.leaf_id, fr.parent_id, f.name || ' => ' || w.text
       FROM walk w JOIN frames fr ON fr.id = w.frame_id JOIN functions f ON f.id = fr.function_id
       WHERE coalesce(fr.parent_id, 0) < fr.id),
     stacks AS MATERIALIZED (SELECT leaf_id, text FROM walk WHERE frame_id IS NULL)
SELECT coalesce(f.name, '(outside any call)') AS function,
       -- joined, the view would be gone through for each row
       (SELECT location FROM function_details d WHERE d.id = f.id) AS location,
       chosen.wait_ns,
       round(100.0 * chosen.wait_ns / nullif(chosen.alike_wait_ns, 0), 1) AS share,
       chosen.waits,
       chosen.wait_ns / chosen.waits AS mean_wait_ns,
       chosen.longest_ns AS longest_wait_ns,
       chosen.start_ns AS longest_at_ns,
       chosen.threads,
       chosen.preempted_ns AS put_aside_ns,
       chosen.page_fault_ns,
       chosen.call_id AS longest_call,
       (SELECT text FROM stacks WHERE leaf_id = chosen.frame_id) AS stack
FROM chosen
     LEFT JOIN frames fr ON fr.id = chosen.frame_id
     LEFT JOIN functions f ON f.id = fr.function_id
ORDER BY chosen.place
