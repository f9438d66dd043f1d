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
       address - block_offset IS NOT (SELECT address FROM allocs WHERE id = block_id)
FROM incident_details
WHERE pid = ?1 AND tid = ?2
ORDER BY id DESC
LIMIT 1
