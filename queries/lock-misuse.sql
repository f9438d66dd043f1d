-- title:       Lock misuse
-- question:    Which locks are used in ways that they must not be?
-- group:       Locks
-- description: Unlocking a lock that another thread holds, or no thread; destroying or freeing a
--              held lock; using a destroyed lock; locking twice a lock that is not recursive;
--              waiting on a condition with a mutex that is not held, or with another one than other
--              threads at the time; ending while holding a lock.
-- advice:      Each is an error: the C library may let it pass, and another one, or the next version, may not. A
--              lock that goes from thread to thread wants to be a semaphore.
-- source:      POSIX.1-2017, what is undefined of pthread_mutex_unlock and others; helgrind's checks
-- needs:       locks
-- report:      errors
-- filter:      function = function
-- column:      misuse | - | what is wrong
-- column:      lock | - | kind and number of the lock, and where it was made, or used first
-- column:      function | - | the innermost function that did it
-- column:      location | - | where
-- column:      times | - | how often
-- column:      thread | - | the first thread that did it
-- column:      other_thread | - | the thread that held the lock then, or destroyed it before
-- column:      other_location | - | and where that took or destroyed it
-- column:      mutex | - | of a condition: a mutex that threads wait with
-- column:      ns | ns | when, the first time, since the run's start
-- column:      call | id | calls.id of the innermost call then
-- column:      stack | stack | its stack, outermost first
-- column:      other_stack | stack | stack in which the other thread took or destroyed it
WITH RECURSIVE
     found AS MATERIALIZED (
       SELECT misuse, lock_id, frame_id, site_id, count(*) AS times, min(ns) AS ns, thread_id, other_thread_id,
              other_frame_id, other_site_id, mutex_id, call_id
       FROM lock_misuses GROUP BY misuse, lock_id, frame_id, site_id),
     stacked AS (SELECT frame_id FROM found UNION SELECT other_frame_id FROM found),
     walk(frame_id, parent_id, text) AS (
       SELECT w.frame_id, fr.parent_id, f.name
       FROM stacked w JOIN frames fr ON fr.id = w.frame_id JOIN functions f ON f.id = fr.function_id
       UNION ALL
       SELECT w.frame_id, fr.parent_id, f.name || ' => ' || w.text
       FROM walk w JOIN frames fr ON fr.id = w.parent_id JOIN functions f ON f.id = fr.function_id
       WHERE coalesce(fr.parent_id, 0) < fr.id),
     stacks AS MATERIALIZED (SELECT frame_id, text FROM walk WHERE parent_id IS NULL)
SELECT m.misuse,
       l.name AS lock,
       coalesce(f.name, '(outside any traced call)') AS function,
       s.location,
       m.times,
       t.name AS thread,
       ot.name AS other_thread,
       os.location AS other_location,
       x.name AS mutex,
       m.ns,
       m.call_id AS call,
       (SELECT text FROM stacks WHERE stacks.frame_id = m.frame_id) AS stack,
       (SELECT text FROM stacks WHERE stacks.frame_id = m.other_frame_id) AS other_stack
FROM found m
     JOIN lock_details l ON l.id = m.lock_id
     LEFT JOIN lock_details x ON x.id = m.mutex_id
     LEFT JOIN frames fr ON fr.id = m.frame_id LEFT JOIN functions f ON f.id = fr.function_id
     LEFT JOIN threads t ON t.id = m.thread_id
     LEFT JOIN threads ot ON ot.id = m.other_thread_id
     LEFT JOIN site_details s ON s.id = m.site_id
     LEFT JOIN site_details os ON os.id = m.other_site_id
ORDER BY m.ns, m.lock_id, m.misuse, m.frame_id, m.site_id
