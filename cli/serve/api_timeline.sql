-- statement: end
SELECT coalesce((SELECT max(end_ns) FROM main.threads), 0), coalesce((SELECT value FROM main.run WHERE key = 'slice_ns'), 0);

-- statement: threads
SELECT id, first_call_id, last_call_id, calls, coalesce(start_ns, 0), coalesce(end_ns, 0), long_ns, count(*) OVER ()
FROM (SELECT * FROM main.threads WHERE calls > 0 ORDER BY calls DESC, id LIMIT ?1) ORDER BY id;

-- statement: thread
SELECT id, first_call_id, last_call_id, calls, coalesce(start_ns, 0), coalesce(end_ns, 0), long_ns, 1
FROM main.threads WHERE id = ?1 AND calls > 0;

-- statement: rows
SELECT c.id, c.enter_ns, c.duration_ns, c.depth, f.function_id
FROM main.calls c CROSS JOIN main.frames f ON f.id = c.frame_id
WHERE c.id BETWEEN ?1 AND ?2 AND c.duration_ns >= ?3 ORDER BY c.id;

-- statement: around
WITH RECURSIVE up(id) AS (
  SELECT (SELECT id FROM main.calls WHERE id BETWEEN ?4 AND ?1 ORDER BY id DESC LIMIT 1)
  UNION ALL SELECT (SELECT c.parent_id FROM main.calls c WHERE c.id = up.id) FROM up
  WHERE up.id IS NOT NULL AND up.id > 0 LIMIT 100000)
SELECT c.id, c.enter_ns, c.duration_ns, c.depth, f.function_id
FROM up CROSS JOIN main.calls c ON c.id = up.id CROSS JOIN main.frames f ON f.id = c.frame_id
WHERE c.enter_ns + c.duration_ns >= ?2 AND c.duration_ns >= ?3 ORDER BY c.id;

-- statement: long
SELECT call_id, enter_ns, duration_ns, depth, function_id FROM main.long_calls
WHERE thread_id = ?1 AND class = ?2 AND enter_ns BETWEEN ?3 AND ?4 AND enter_ns + duration_ns >= ?5 AND duration_ns >= ?6;

-- statement: slices
SELECT slice, calls, short_ns, function_id, function_ns FROM main.slices
WHERE thread_id = ?1 AND slice BETWEEN ?2 AND ?3 ORDER BY slice;

-- statement: gaps
SELECT start_ns, wall_ns, wait_ns, preempted_ns, call_id FROM main.gaps
WHERE call_id BETWEEN ?1 AND ?2 AND start_ns <= ?4 AND start_ns + wall_ns >= ?3 ORDER BY call_id, id LIMIT ?5;
