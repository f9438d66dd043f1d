-- The statements of verdict.c.

-- statement: place
-- The stack of a context, and a place in its innermost function: the site's line, else the function's own.
WITH RECURSIVE up(frame_id, text) AS (
       SELECT fr.parent_id, f.name
       FROM frames fr JOIN functions f ON f.id = fr.function_id
       WHERE fr.id = ?1
       UNION ALL
       SELECT fr.parent_id, f.name || ' => ' || up.text
       FROM up JOIN frames fr ON fr.id = up.frame_id JOIN functions f ON f.id = fr.function_id
       WHERE coalesce(fr.parent_id, 0) < fr.id)
SELECT text, coalesce((SELECT location FROM site_details WHERE id = ?2),
       (SELECT d.location FROM frames fr JOIN function_details d ON d.id = fr.function_id WHERE fr.id = ?1))
FROM up
WHERE frame_id IS NULL
