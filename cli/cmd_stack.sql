-- The statements of cmd_stack.c.

-- statement: call
SELECT c.parent_id, c.depth, fr.function_id, s.location, c.enter_ns, c.duration_ns, c.ended, t.name, t.tid
FROM calls c JOIN frames fr ON fr.id = c.frame_id
     LEFT JOIN site_details s ON s.id = fr.site_id
     LEFT JOIN threads t ON t.id = c.thread_id
WHERE c.id = ?1
