-- title:       Lock order
-- question:    Which locks are taken in orders that can deadlock?
-- group:       Locks
-- description: Rings of locks, each wanted while the one before it was held: a deadlock that did
--              not happen in this run, with both stacks of each step. Left out are steps that
--              cannot meet: with a common lock held, with a lock that both sides only read, and
--              with tries (trylock, timed ones), which do not wait for ever.
-- advice:      Choose one order and keep to it everywhere: turn round the rarer step, or take both
--              by std::lock or std::scoped_lock. A single thread (threads = 1) cannot meet itself,
--              but a second one that does the same can. Threads that only run one after the other
--              are listed, too.
-- source:      lock order graph: Dijkstra's ordered resources; GoodLock (Havelund 2000) for guards; as helgrind,
--              ThreadSanitizer and Linux's lockdep have it
-- needs:       locks
-- report:      errors
-- param:       by_place = 0 | - | 1: rings of the places where locks were made, too: not the same locks, but of a kind
-- column:      cycle | id | number of the ring: its rows are one step each
-- column:      held | - | the lock that was held
-- column:      wanted | - | the lock that was wanted then
-- column:      function | - | the innermost function that wanted it
-- column:      location | - | where it wanted it
-- column:      held_since | - | where the held one was taken
-- column:      times | - | how often it was so
-- column:      threads | threads | that did the ring's steps
-- column:      thread | - | the first thread of this step
-- column:      ns | ns | when it was so first, since the run's start
-- column:      kind | - | lock: the very locks; place: locks that were made at these places
-- column:      call | id | calls.id of the call that wanted it
-- column:      held_call | id | calls.id of the call that took the held one
-- column:      stack | stack | stack where it was wanted, outermost first
-- column:      held_stack | stack | stack where the held one was taken
WITH RECURSIVE
     params AS (SELECT coalesce(:by_place, 0) AS by_place),
     steps AS MATERIALIZED (
       SELECT c.cycle, c.position, c.by_place, o.*,
              (SELECT count(DISTINCT x.thread_id) FROM lock_cycles k JOIN lock_orders y ON y.id = k.order_id
                      JOIN lock_orders x ON x.first_lock_id = y.first_lock_id AND x.second_lock_id = y.second_lock_id
               WHERE k.cycle = c.cycle) AS threads,
              (SELECT sum(x.times) FROM lock_orders x
               WHERE x.first_lock_id = o.first_lock_id AND x.second_lock_id = o.second_lock_id) AS all_times
       FROM lock_cycles c JOIN lock_orders o ON o.id = c.order_id CROSS JOIN params
       WHERE c.by_place <= params.by_place),
     stacked AS (SELECT frame_id FROM steps UNION SELECT first_frame_id FROM steps),
     walk(frame_id, parent_id, text) AS (
       SELECT w.frame_id, fr.parent_id, f.name
       FROM stacked w JOIN frames fr ON fr.id = w.frame_id JOIN functions f ON f.id = fr.function_id
       UNION ALL
       SELECT w.frame_id, fr.parent_id, f.name || ' => ' || w.text
       FROM walk w JOIN frames fr ON fr.id = w.parent_id JOIN functions f ON f.id = fr.function_id
       WHERE coalesce(fr.parent_id, 0) < fr.id),
     stacks AS MATERIALIZED (SELECT frame_id, text FROM walk WHERE parent_id IS NULL)
SELECT o.cycle,
       a.name AS held,
       b.name AS wanted,
       coalesce(f.name, '(outside any traced call)') AS function,
       s.location,
       fs.location AS held_since,
       o.all_times AS times,
       o.threads,
       t.name AS thread,
       o.ns,
       CASE o.by_place WHEN 0 THEN 'lock' ELSE 'place' END AS kind,
       o.call_id AS call,
       o.first_call_id AS held_call,
       (SELECT text FROM stacks WHERE stacks.frame_id = o.frame_id) AS stack,
       (SELECT text FROM stacks WHERE stacks.frame_id = o.first_frame_id) AS held_stack
FROM steps o
     JOIN lock_details a ON a.id = o.first_lock_id
     JOIN lock_details b ON b.id = o.second_lock_id
     LEFT JOIN frames fr ON fr.id = o.frame_id LEFT JOIN functions f ON f.id = fr.function_id
     LEFT JOIN site_details s ON s.id = o.site_id
     LEFT JOIN site_details fs ON fs.id = o.first_site_id
     LEFT JOIN threads t ON t.id = o.thread_id
ORDER BY o.cycle, o.position
