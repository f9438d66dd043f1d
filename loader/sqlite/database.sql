-- The statements of database.c.

-- statement: indexes
-- What makes the indexes, and what drops them; but for those of frames.
SELECT coalesce(group_concat(sql, ';'), ''),
       coalesce(group_concat('DROP INDEX "' || replace(name, '"', '""') || '"', ';'), '')
FROM sqlite_schema
WHERE type = 'index' AND sql IS NOT NULL AND tbl_name <> 'frames'
