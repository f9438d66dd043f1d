-- title:       Lock holders
-- question:    Which locks are held for long, and where?
-- group:       Locks
-- description: Each lock: how often it was taken, how long it was held, where the longest hold began, and what
--              other threads waited for it.
-- advice:      A lock that is held for most of the run while other threads wait lets one thread
--              work at a time. A lock for which no thread waits does no harm, however long it is
--              held.
-- source:      counts that each thread keeps of the locks that it takes (fisql record --locks)
-- needs:       locks
-- report:      overview
-- column:      lock | - | kind and number of the lock, and where it was made, or used first
-- column:      hold_ns | ns | time held, the sum over threads; in a deadlock at least as long as others waited
-- column:      times | acquisitions | how often it was taken
-- column:      threads | threads | that took it
-- column:      mean_ns | ns | a hold, on average
-- column:      longest_ns | ns | the longest hold
-- column:      function | - | the innermost function where that began
-- column:      location | - | where it took the lock
-- column:      wait_ns | ns | time that threads waited for the lock
-- column:      waits | waits | how often
-- column:      failed | - | tries that found it taken
-- column:      longest_call | id | calls.id of the call with the longest hold
-- column:      stack | stack | its stack, outermost first
-- column:      lines | - | the same with the line of each call, at last that of taking the lock
WITH RECURSIVE
     stuck AS ( -- a deadlock's locks are held to the end: at least since others wait for them
       SELECT lock_id, held_by_thread_id, 1, max(wait_ns) AS hold_ns, max(wait_ns), held_by_call_id, held_by_frame_id,
              held_by_site_id, 0
       FROM lock_waits WHERE deadlock IS NOT NULL AND held_by_thread_id IS NOT NULL GROUP BY lock_id, held_by_thread_id),
     holds AS (
       SELECT lock_id, thread_id, times, hold_ns, longest_ns, longest_call_id, longest_frame_id, longest_site_id, failed
       FROM lock_holds
       UNION ALL
       SELECT * FROM stuck),
     held AS MATERIALIZED (
       SELECT lock_id, sum(hold_ns) AS hold_ns, sum(times) AS times, count(DISTINCT thread_id) AS threads,
              max(longest_ns) AS longest_ns, sum(failed) AS failed, longest_call_id, longest_frame_id, longest_site_id
       FROM holds GROUP BY lock_id),
     waited AS MATERIALIZED (
       SELECT lock_id, sum(wait_ns) AS wait_ns, sum(wait_ns > 0) AS waits FROM lock_waits GROUP BY lock_id),
     stacked AS (SELECT DISTINCT longest_frame_id AS frame_id FROM held),
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
       h.hold_ns,
       h.times,
       h.threads,
       h.hold_ns / max(1, h.times) AS mean_ns,
       h.longest_ns,
       f.name AS function,
       s.location,
       coalesce(w.wait_ns, 0) AS wait_ns,
       coalesce(w.waits, 0) AS waits,
       h.failed,
       h.longest_call_id AS longest_call,
       (SELECT text FROM stacks WHERE stacks.frame_id = h.longest_frame_id) AS stack,
       (SELECT lines || coalesce(' (' || s.location || ')', '') FROM stacks
        WHERE stacks.frame_id = h.longest_frame_id) AS lines
FROM held h
     JOIN lock_details l ON l.id = h.lock_id
     LEFT JOIN waited w ON w.lock_id = h.lock_id
     LEFT JOIN frames fr ON fr.id = h.longest_frame_id LEFT JOIN functions f ON f.id = fr.function_id
     LEFT JOIN site_details s ON s.id = h.longest_site_id
ORDER BY h.hold_ns DESC, h.lock_id
