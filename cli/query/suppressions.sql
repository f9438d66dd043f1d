-- The statements of suppressions.c.

-- statement: stack
-- Each function, file and module from the block's call outward, and those of the allocation's site.
-- The stack is the chain of frames: recursion is folded there, which loses no name.
WITH RECURSIVE chain(frame_id, parent_id, function_id, site_id) AS (
       SELECT fr.id, fr.parent_id, fr.function_id, fr.site_id
       FROM allocs a JOIN frames fr ON fr.id = a.frame_id
       WHERE a.id = ?1
       UNION ALL
       SELECT fr.id, fr.parent_id, fr.function_id, fr.site_id
       FROM chain JOIN frames fr ON fr.id = chain.parent_id
       WHERE coalesce(fr.parent_id, 0) < fr.id)
SELECT f.name, f.file, f.library, f.linkage_name
FROM chain JOIN function_details f ON f.id = chain.function_id
UNION ALL
SELECT s.function, s.file, s.library, NULL
FROM allocs a JOIN site_details s ON s.id = a.site_id
WHERE a.id = ?1
