SELECT c.id, coalesce(c.parent_id, 0) AS parent_id, c.thread_id, stable(f.stable_id) AS function_id,
       context(c.frame_id) AS context_id, c.depth, c.enter_ns, c.duration_ns, c.self_ns, c.descendants, c.ended
FROM calls c CROSS JOIN frames fr ON fr.id = c.frame_id CROSS JOIN functions f ON f.id = fr.function_id
