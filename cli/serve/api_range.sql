-- statement: threads
SELECT id, first_call_id, last_call_id FROM main.threads
WHERE calls > 0 AND (?1 = 0 OR id = ?1) AND first_call_id <= last_call_id ORDER BY id;

-- statement: around
WITH RECURSIVE up(id) AS (
  SELECT (SELECT id FROM main.calls WHERE id BETWEEN ?2 AND ?1 ORDER BY id DESC LIMIT 1)
  UNION ALL SELECT (SELECT c.parent_id FROM main.calls c WHERE c.id = up.id) FROM up
  WHERE up.id IS NOT NULL AND up.id > 0 LIMIT 100000)
SELECT c.id, c.parent_id, c.frame_id, c.enter_ns, c.duration_ns, c.children_ns, c.descendants
FROM up CROSS JOIN main.calls c ON c.id = up.id WHERE c.enter_ns + c.duration_ns >= ?3 ORDER BY c.id;

-- statement: rows
SELECT id, parent_id, frame_id, enter_ns, duration_ns, children_ns, descendants
FROM main.calls WHERE id BETWEEN ?1 AND ?2 ORDER BY id;

-- statement: gaps
SELECT frame_id, start_ns, wall_ns, wait_ns, preempted_ns FROM main.gaps
WHERE call_id BETWEEN ?1 AND ?2 AND paused = 0 AND start_ns <= ?4 AND start_ns + wall_ns >= ?3;

-- statement: blocks_ends
SELECT coalesce((SELECT min(id) FROM main.allocs), 1), coalesce((SELECT max(id) FROM main.allocs), 0);

-- statement: blocks
SELECT frame_id, count(*), sum(size) FROM main.allocs
WHERE id BETWEEN ?1 AND ?2 AND frame_id IS NOT NULL AND (?3 = 0 OR thread_id = ?3) GROUP BY frame_id;

-- statement: frame
SELECT parent_id, function_id FROM main.frames WHERE id = ?1;
