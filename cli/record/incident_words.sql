-- The statements of incident_words.c.

-- statement: frames
SELECT coalesce(c.text, f.function), f.location, f.called_from, fr.site_id, s.function_id IS NOT fr.function_id
FROM incident_frames f
     LEFT JOIN call_text c ON c.call_id = f.call_id
     LEFT JOIN frames fr ON fr.id = f.frame_id
     LEFT JOIN sites s ON s.id = fr.site_id
WHERE f.incident_id = ? AND f.thread_id = ?
ORDER BY f.depth DESC

-- statement: open_calls
SELECT coalesce(c.text, d.function), d.depth, d.enter_ns, d.duration_ns, d.ended, coalesce(s.location, '?')
FROM threads t
     CROSS JOIN call_details d ON d.id BETWEEN max(t.first_call_id, t.last_call_id - ?2 + 1) AND t.last_call_id
     LEFT JOIN call_text c ON c.call_id = d.id
     LEFT JOIN site_details s ON s.id = d.site_id
WHERE t.id = ?1
ORDER BY d.id

-- statement: other_threads
SELECT t.id, t.tid, t.name
FROM threads t JOIN threads o ON o.process_id = t.process_id
WHERE o.id = ?1 AND t.id <> ?1 AND (t.end_ns IS NULL OR t.end_ns >= ?2 OR EXISTS (SELECT 1 FROM incident_stacks s
       WHERE s.thread_id = t.id))
ORDER BY t.id

-- statement: incident
SELECT id, thread_id, ns, message, thread, location, block, block_allocated, block_allocated_in, block_freed,
       block_freed_in, left_function, left_called_from,
       address - block_offset IS NOT (SELECT address FROM allocs WHERE id = block_id), block_id
FROM incident_details
WHERE pid = ?1 AND tid = ?2
ORDER BY id DESC
LIMIT 1

-- statement: block_stack
-- The contexts that block ?1 was allocated in (?2 = 0) or freed in (1), the innermost first: function, the place in it,
-- and the number of contexts further out.
WITH RECURSIVE
     up(level, function_id, place_id, site_id, parent_id) AS (
       SELECT 0, fr.function_id, iif(?2, a.free_site_id, a.site_id), fr.site_id, fr.parent_id
       FROM allocs a JOIN frames fr ON fr.id = iif(?2, a.free_frame_id, a.frame_id)
       WHERE a.id = ?1
       UNION ALL
       SELECT u.level + 1, fr.function_id, u.site_id, fr.site_id, fr.parent_id
       FROM up u JOIN frames fr ON fr.id = u.parent_id
       WHERE u.level < 100000)
SELECT f.name, s.location, (SELECT max(level) FROM up) - u.level
FROM up u
     JOIN functions f ON f.id = u.function_id
     LEFT JOIN site_details s ON s.id = u.place_id
ORDER BY u.level
LIMIT 16

-- statement: block_times
SELECT alloc_ns, CASE WHEN free_ns <= ?2 THEN free_ns END FROM allocs WHERE id = ?1
