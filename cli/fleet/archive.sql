-- The statements of archive.c.

-- statement: columns
-- The columns that are stored, as this fisql's schema has them.
SELECT s.name, group_concat('"' || x.name || '"', ', '), group_concat('?', ', ')
FROM sqlite_schema s, pragma_table_xinfo(s.name) x
WHERE s.type = 'table' AND x.hidden = 0
GROUP BY s.name
ORDER BY s.name
