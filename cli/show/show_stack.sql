-- The statements of show_stack.c.

-- statement: call
SELECT c.parent_id, c.depth, fr.function_id, s.location, c.enter_ns,
       (SELECT duration_ns FROM call_details WHERE id = ?1), c.ended, t.name, t.tid
FROM calls c JOIN frames fr ON fr.id = c.frame_id
     LEFT JOIN site_details s ON s.id = fr.site_id
     LEFT JOIN threads t ON t.id = c.thread_id
WHERE c.id = ?1

-- statement: whole
-- Are the call and all around it there?
WITH RECURSIVE up(id, parent_id, depth) AS (
  SELECT id, parent_id, depth FROM calls WHERE id = ?1
  UNION ALL
  SELECT c.id, c.parent_id, c.depth FROM up u CROSS JOIN calls c ON c.id = u.parent_id WHERE c.id < u.id)
SELECT count(*) > 0 AND min(depth) = 0 AND count(*) = max(depth) + 1 FROM up
