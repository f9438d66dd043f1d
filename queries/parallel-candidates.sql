-- title:       Parallel candidates
-- question:    Which loops of calls could run in parallel?
-- group:       Locks
-- description: Callees that each call of a caller calls many times from one place, all in one
--              thread, and that take a good part of the run. Such a call frees each block that it
--              allocates, and no other: no block passes from one iteration to the next, out of the
--              loop or into it. It waits for no lock, condition or thread and takes none, as far as
--              locks were recorded (locks).
-- advice:      Look at what the callee writes. fisql does not know memory that it writes outside of
--              its own blocks (its caller's arrays, static variables, files), nor results that the
--              next iteration uses. If each iteration writes a place of its own, give ranges of
--              them to threads. The most that several threads can save is cpu_ns. Left out are
--              recursive callees, ones that mostly wait, and callees of several threads: those
--              loops run in parallel already, or share something. Locks show where the run was
--              recorded with --locks, all of them with --locks=all. A run with --no-alloc has no
--              candidates.
-- source:      loops without dependences that are carried from one iteration to the next (Allen and Kennedy 2001),
--              as far as heap blocks and locks tell; blocks by alloc_stacks, block_flows, allocs.owner_call_id
-- needs:       calls
-- report:      none
-- param:       min_calls = 8 | calls | leave out callees that a call of the caller calls less often, on average
-- param:       min_share = 5 | % | leave out callees with less of the run's time
-- param:       min_mean_ns = 1000 | ns | leave out callees whose calls are shorter on average: starting work costs as much
-- column:      caller | - | the function with the loop
-- column:      called_from | - | the place of the call
-- column:      callee | - | the function in the loop
-- column:      callee_location | - | where it is defined
-- column:      thread | - | the only thread that calls it
-- column:      calls | calls | calls from there in this context
-- column:      loops | calls | calls of the caller that they are spread over
-- column:      mean_calls | calls | calls in one of them, on average
-- column:      cpu_ns | ns | processor time in the calls, with callees
-- column:      share | % | of the time of the run
-- column:      mean_ns | ns a call | processor time of one call
-- column:      blocks | blocks | allocated and freed within the calls
-- column:      locks | - | none: each acquisition was recorded, and there is none; none seen: locks were recorded; not recorded
-- column:      example_call | id | calls.id of the longest of the calls
-- column:      stack | stack | the callee's stack, outermost first
WITH RECURSIVE
     params AS (SELECT coalesce(:min_calls, 8) AS min_calls, coalesce(:min_share, 5) AS min_share,
                       coalesce(:min_mean_ns, 1000) AS min_mean_ns),
     lasted AS MATERIALIZED (SELECT max(end_ns) - min(start_ns) AS ns FROM threads),
     single AS MATERIALIZED ( -- functions that one thread alone called
       SELECT function_id, min(thread_id) AS thread_id FROM thread_functions GROUP BY function_id
       HAVING count(DISTINCT thread_id) = 1),
     loops AS MATERIALIZED (
       SELECT fr.id, fr.parent_id, fr.function_id, p.function_id AS caller_id, fr.site_id, fr.calls, p.calls AS loops, fr.cpu_ns,
              fr.slowest_call_id, single.thread_id
       FROM frames fr CROSS JOIN params CROSS JOIN lasted
            JOIN frames p ON p.id = fr.parent_id
            JOIN function_stats s ON s.function_id = fr.function_id
            JOIN single ON single.function_id = fr.function_id
       WHERE fr.calls >= params.min_calls * p.calls AND fr.counted_calls = 0
         AND 100 * fr.cpu_ns >= params.min_share * lasted.ns AND fr.cpu_ns >= params.min_mean_ns * fr.calls
         AND s.recursive_calls = 0 AND 2 * fr.wait_ns <= fr.total_ns
         AND NOT EXISTS (SELECT 1 FROM run WHERE key = 'options' AND value GLOB '*no-alloc*')),
     inside(loop_id, frame_id) AS ( -- the contexts within the callee's calls
       SELECT id, id FROM loops
       UNION ALL
       SELECT i.loop_id, fr.id FROM inside i JOIN frames fr ON fr.parent_id = i.frame_id WHERE fr.id > i.frame_id),
     within AS MATERIALIZED (SELECT loop_id, frame_id FROM inside),
     made AS MATERIALIZED (
       SELECT w.loop_id, sum(a.blocks) AS blocks, sum(a.blocks - a.freed_blocks) AS kept,
              min(a.first_alloc_id) AS first_id, max(a.last_alloc_id) AS last_id
       FROM within w JOIN alloc_stacks a ON a.frame_id = w.frame_id GROUP BY w.loop_id),
     passed AS MATERIALIZED ( -- blocks come in or go out
       SELECT w.loop_id
       FROM within w JOIN alloc_stacks a ON a.frame_id = w.frame_id JOIN block_flows b ON b.stack_id = a.id
       WHERE b.alloc_thread_id <> b.free_thread_id
          OR NOT EXISTS (SELECT 1 FROM within o WHERE o.loop_id = w.loop_id AND o.frame_id = b.free_frame_id)
       UNION
       SELECT w.loop_id
       FROM within w JOIN block_flows b ON b.free_frame_id = w.frame_id JOIN alloc_stacks a ON a.id = b.stack_id
       WHERE NOT EXISTS (SELECT 1 FROM within o WHERE o.loop_id = w.loop_id AND o.frame_id = a.frame_id)),
     locked AS MATERIALIZED ( -- what is known to take a lock, or to wait for one
       SELECT frame_id FROM lock_waits UNION SELECT longest_frame_id FROM lock_holds UNION SELECT frame_id FROM lock_orders
       UNION SELECT first_frame_id FROM lock_orders UNION SELECT frame_id FROM locks
       UNION SELECT held_by_frame_id FROM lock_waits),
     apart AS MATERIALIZED (
       SELECT l.*, coalesce(m.blocks, 0) AS blocks, m.first_id, m.last_id
       FROM loops l LEFT JOIN made m ON m.loop_id = l.id
       WHERE coalesce(m.kept, 0) = 0 AND l.id NOT IN (SELECT loop_id FROM passed)
         AND NOT EXISTS (SELECT 1 FROM within w WHERE w.loop_id = l.id
                           AND w.frame_id IN (SELECT frame_id FROM locked WHERE frame_id IS NOT NULL))),
     alone AS MATERIALIZED ( -- one call frees what it allocated: the deepest call open at both is within it
       SELECT l.* FROM apart l
       WHERE NOT EXISTS (
         SELECT 1 FROM allocs a LEFT JOIN calls c ON c.id = a.owner_call_id
         WHERE l.blocks > 0 AND a.id BETWEEN l.first_id AND l.last_id
           AND EXISTS (SELECT 1 FROM within w WHERE w.loop_id = l.id AND w.frame_id = a.frame_id)
           AND NOT EXISTS (SELECT 1 FROM within w WHERE w.loop_id = l.id AND w.frame_id = c.frame_id))),
     walk(loop_id, parent_id, frame_id, text) AS (
       SELECT l.id, l.parent_id, l.id, f.name FROM alone l JOIN functions f ON f.id = l.function_id
       UNION ALL
       SELECT w.loop_id, fr.parent_id, fr.id, f.name || ' => ' || w.text
       FROM walk w JOIN frames fr ON fr.id = w.parent_id JOIN functions f ON f.id = fr.function_id
       WHERE fr.id < w.frame_id),
     recorded AS MATERIALIZED (
       SELECT coalesce((SELECT CASE WHEN value GLOB '*locks=2*' THEN 'none' WHEN value GLOB '*locks=*' THEN 'none seen' END
                        FROM run WHERE key = 'options'), 'not recorded') AS locks)
SELECT p.name AS caller,
       s.location AS called_from,
       f.name AS callee,
       f.location AS callee_location,
       t.name AS thread,
       l.calls,
       l.loops,
       round(1.0 * l.calls / l.loops, 1) AS mean_calls,
       l.cpu_ns,
       round(100.0 * l.cpu_ns / lasted.ns, 1) AS share,
       round(1.0 * l.cpu_ns / l.calls, 1) AS mean_ns,
       l.blocks,
       recorded.locks,
       l.slowest_call_id AS example_call,
       (SELECT text FROM walk WHERE walk.loop_id = l.id AND walk.parent_id IS NULL) AS stack
FROM alone l
     JOIN function_details f ON f.id = l.function_id
     JOIN functions p ON p.id = l.caller_id
     JOIN threads t ON t.id = l.thread_id
     LEFT JOIN site_details s ON s.id = l.site_id
     CROSS JOIN lasted CROSS JOIN recorded
ORDER BY l.cpu_ns DESC, l.id
