-- title:       Lock contention
-- question:    Which thread waits for which one, and how long?
-- group:       Locks
-- description: Waits for locks, with the stack of the waiting thread and that of the thread that
--              held the lock when the wait began.
-- advice:      Hold the lock for less time where held_at points: move what need not be under it
--              before or after. Or divide it: a lock for each part of the data. The holder is that
--              of the wait's beginning; other threads may have held the lock since.
-- source:      each wait, recorded by a library in front of the C library's locks (fisql record --locks)
-- needs:       locks
-- report:      findings
-- filter:      function = function
-- param:       all = 0 | - | 1 = also conditions, semaphores, barriers and joined threads, which are no locks
-- param:       min_wait_ns = 0 | ns | leave out what waited less
-- column:      lock | - | kind and number of the lock, and where it was made, or used first
-- column:      function | - | the innermost function of the waiting thread
-- column:      location | - | where the lock was asked for
-- column:      wait_ns | ns | time waited
-- column:      waits | waits | how often
-- column:      threads | threads | that waited
-- column:      longest_ns | ns | the longest wait
-- column:      held_by | - | the innermost function of the holder when it took the lock
-- column:      held_at | - | where that took it
-- column:      deadlock | - | number of the deadlock that such a wait is part of at the end: it did not end
-- column:      longest_at_ns | ns | when the longest wait began, since the run's start
-- column:      longest_call | id | calls.id of the call that waited then
-- column:      holder_call | id | calls.id of the call that held the lock then
-- column:      stack | stack | stack of the waiting thread, outermost first
-- column:      holder_stack | stack | stack in which the holder took it
-- column:      holder_lines | - | the same with the line of each call, at last that of taking the lock
WITH RECURSIVE
     params AS (SELECT coalesce(:all, 0) AS every, coalesce(:min_wait_ns, 0) AS min_wait_ns),
     waited AS MATERIALIZED (
       SELECT w.lock_id, w.frame_id, w.site_id, w.held_by_frame_id, w.held_by_site_id, sum(w.wait_ns) AS wait_ns,
              count(*) AS waits, count(DISTINCT w.thread_id) AS threads, max(w.wait_ns) AS longest_ns, w.start_ns,
              w.call_id, w.held_by_call_id, CAST(group_concat(w.deadlock) AS INTEGER) AS deadlock
       FROM lock_waits w JOIN locks l ON l.id = w.lock_id CROSS JOIN params
       WHERE w.wait_ns > 0
         AND (params.every OR l.kind NOT IN ('condition', 'semaphore', 'barrier', 'thread'))
       GROUP BY w.lock_id, w.frame_id, w.site_id, w.held_by_frame_id, w.held_by_site_id
       HAVING sum(w.wait_ns) >= params.min_wait_ns),
     stacked AS (SELECT frame_id FROM waited UNION SELECT held_by_frame_id FROM waited),
     walk(frame_id, parent_id, site_id, text, lines) AS (
       SELECT w.frame_id, fr.parent_id, fr.site_id, f.name, f.name
       FROM stacked w JOIN frames fr ON fr.id = w.frame_id JOIN functions f ON f.id = fr.function_id
       UNION ALL
       SELECT w.frame_id, fr.parent_id, fr.site_id, f.name || ' => ' || w.text,
              f.name || coalesce(' (' || s.location || ')', '') || ' => ' || w.lines
       FROM walk w JOIN frames fr ON fr.id = w.parent_id JOIN functions f ON f.id = fr.function_id
            LEFT JOIN site_details s ON s.id = w.site_id
       WHERE coalesce(fr.parent_id, 0) < fr.id),
     stacks AS MATERIALIZED (SELECT frame_id, text, lines FROM walk WHERE parent_id IS NULL)
SELECT l.name AS lock,
       coalesce(f.name, '(outside any traced call)') AS function,
       s.location,
       w.wait_ns,
       w.waits,
       w.threads,
       w.longest_ns,
       h.name AS held_by,
       hs.location AS held_at,
       w.deadlock,
       w.start_ns AS longest_at_ns,
       w.call_id AS longest_call,
       w.held_by_call_id AS holder_call,
       (SELECT text FROM stacks WHERE stacks.frame_id = w.frame_id) AS stack,
       (SELECT text FROM stacks WHERE stacks.frame_id = w.held_by_frame_id) AS holder_stack,
       (SELECT lines || coalesce(' (' || hs.location || ')', '') FROM stacks
        WHERE stacks.frame_id = w.held_by_frame_id) AS holder_lines
FROM waited w
     JOIN lock_details l ON l.id = w.lock_id
     LEFT JOIN frames fr ON fr.id = w.frame_id LEFT JOIN functions f ON f.id = fr.function_id
     LEFT JOIN frames hfr ON hfr.id = w.held_by_frame_id LEFT JOIN functions h ON h.id = hfr.function_id
     LEFT JOIN site_details s ON s.id = w.site_id
     LEFT JOIN site_details hs ON hs.id = w.held_by_site_id
ORDER BY w.wait_ns DESC, w.lock_id, w.frame_id, w.site_id, w.held_by_frame_id, w.held_by_site_id
