-- The statements of btree_open.c.

-- statement: tables
-- Each table and index: its name, an index's table, its root page, and a table's number of indexes.
SELECT name, iif(type = 'index', tbl_name, ''), rootpage,
       iif(type = 'index', 1, (SELECT count(*) FROM sqlite_schema i WHERE i.type = 'index' AND i.tbl_name = t.name))
FROM sqlite_schema t
WHERE type IN ('table', 'index') AND rootpage > 1
