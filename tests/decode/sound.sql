-- What holds in every database, whatever the log was: each SELECT gives the rows for which it does not.
SELECT 'not enclosed by its caller', c.id FROM calls c JOIN calls p ON p.id = c.parent_id
WHERE c.id > p.id + p.descendants OR c.enter_ns < p.enter_ns OR c.enter_ns + c.duration_ns > p.enter_ns + p.duration_ns;
SELECT 'overlaps the callee before it', id FROM (
  SELECT id, enter_ns, lag(enter_ns + duration_ns) OVER (PARTITION BY thread_id, parent_id ORDER BY id) AS before_ns FROM calls)
WHERE enter_ns < before_ns;
SELECT 'ends after its thread', c.id FROM calls c JOIN threads t ON t.id = c.thread_id
WHERE c.enter_ns + c.duration_ns > t.end_ns;
SELECT 'a gap not in its call', g.id FROM gaps g JOIN calls c ON c.id = g.call_id
WHERE g.start_ns < c.enter_ns OR g.start_ns + g.wall_ns > c.enter_ns + c.duration_ns OR g.thread_id <> c.thread_id;
SELECT 'a gap that overlaps the one before it', id FROM (
  SELECT id, start_ns, lag(start_ns + wall_ns) OVER (PARTITION BY thread_id ORDER BY id) AS before_ns FROM gaps)
WHERE start_ns < before_ns;
SELECT 'a gap with more time than it has', id FROM gaps
WHERE wait_ns + preempted_ns > wall_ns OR wait_ns < 0 OR preempted_ns < 0 OR (wait_ns > 0 AND preempted_ns > 0);
SELECT 'a gap of the recording not in its call', g.id FROM recording_gaps g LEFT JOIN calls c ON c.id = g.call_id
WHERE c.id IS NULL OR g.start_ns < c.enter_ns OR g.start_ns + g.wall_ns > c.enter_ns + c.duration_ns OR g.thread_id <> c.thread_id
   OR g.wall_ns <= 0 OR g.held_ns NOT BETWEEN 0 AND g.wall_ns;
SELECT 'a gap of the recording within a callee of its call', g.id FROM recording_gaps g JOIN calls c ON c.parent_id = g.call_id
WHERE g.start_ns < c.enter_ns + c.duration_ns AND g.start_ns + g.wall_ns > c.enter_ns;
SELECT 'a gap of the recording that is not in the cost of its call', g.call_id FROM recording_gaps g
GROUP BY g.call_id
HAVING sum(g.wall_ns) > (SELECT inside_ps FROM hook_costs WHERE first_call_id = g.call_id AND last_call_id = g.call_id) / 1000;
SELECT 'own time below 0', id FROM calls WHERE self_ns < 0;
SELECT 'a pause not in its call', p.id FROM pauses p LEFT JOIN calls c ON c.id = p.call_id
WHERE c.id IS NULL OR p.start_ns < c.enter_ns OR p.start_ns + p.paused_ns > c.enter_ns + c.duration_ns OR p.paused_ns < 0;
SELECT 'freed before it was allocated', id FROM allocs WHERE free_ns < alloc_ns;
SELECT 'an open wait that ends before its thread and its call', w.id
FROM lock_waits w JOIN threads t ON t.id = w.thread_id LEFT JOIN calls c ON c.id = w.call_id
WHERE w.ended = 'open' AND w.start_ns + w.wait_ns < min(t.end_ns, coalesce(c.enter_ns + c.duration_ns, t.end_ns));
SELECT 'an open wait that lasts beyond its process', w.id
FROM lock_waits w JOIN threads t ON t.id = w.thread_id JOIN processes p ON p.id = t.process_id
WHERE w.ended = 'open' AND w.wait_ns > 0
  AND w.start_ns + w.wait_ns > max(coalesce(p.end_ns, 0), (SELECT max(end_ns) FROM threads o WHERE o.process_id = p.id));
SELECT 'a wait of a deadlock that did not last', id FROM lock_waits WHERE deadlock IS NOT NULL AND ended <> 'open';
SELECT 'deadlocks that are no incidents', (SELECT count(DISTINCT deadlock) FROM lock_waits) AS n
WHERE n <> (SELECT count(*) FROM incidents WHERE kind = 'deadlock');
PRAGMA foreign_key_check;
