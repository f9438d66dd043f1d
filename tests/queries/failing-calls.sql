.read tests/fixtures/values.sql
INSERT INTO f(id, name, targets) VALUES (2, 'serve', 3), (3, 'load', 3), (4, 'open_file', 2), (5, 'read_some', 2), (6, 'make_node', 2),
  (7, 'step', 2), (8, 'put', 2), (9, 'usually_missing', 2), (10, 'key_compare', 2), (11, 'find_node', 2), (12, 'get_name', 0),
  (13, 'is_full', 2), (14, 'balance', 2), (15, 'count_zeros', 2), (16, 'no_caller_minds', 2), (17, 'log_line', 2), (18, 'index_of', 0), (19, 'find_place', 2), (20, 'kind_of', 2);
INSERT INTO p VALUES (2, 0, NULL, 'int', 'signed', NULL, 0), (3, 0, NULL, 'int', 'signed', NULL, 0),
  (4, 0, NULL, 'int', 'signed', NULL, 0), (4, 1, 'path', 'const char *', 'text', NULL, 0), (4, 31, 'errno', 'int', 'enum', 1, 0);
INSERT INTO enumerators VALUES (1, 0, 2, 'ENOENT', NULL), (1, 1, 13, 'EACCES', NULL), (1, 2, 28, 'ENOSPC', NULL);
INSERT INTO p SELECT column1, 0, NULL, column2, column3, NULL, 0 FROM (VALUES (5, 'ssize_t', 'signed'), (6, 'struct node *', 'pointer'), (7, 'int', 'signed'),
  (8, 'bool', 'bool'), (9, 'struct node *', 'pointer'), (10, 'int', 'signed'), (11, 'struct node *', 'pointer'), (12, 'const char *', 'text'),
  (13, 'bool', 'bool'), (14, 'int', 'signed'), (15, 'int', 'signed'), (16, 'struct node *', 'pointer'), (18, 'int', 'signed'), (19, 'int', 'signed'), (20, 'int', 'signed'));
INSERT INTO p VALUES (10, 1, 'a', 'const struct key *', 'pointer', NULL, 0), (10, 2, 'b', 'const struct key *', 'pointer', NULL, 0);
-- what each returned, how often, and what its caller, load, returned then
CREATE TEMP TABLE returned(number INTEGER PRIMARY KEY, function_id INTEGER, n INTEGER, v0, errno INTEGER, load INTEGER);
INSERT INTO returned(function_id, n, v0, errno, load) VALUES
-- positive: open_file failed four times, thrice in vain for load
  (4, 40, 3, NULL, 0), (4, 1, -1, 2, -5), (4, 3, -1, 2, 0), (4, 1, -1, 13, 0),
-- positive: bytes or -1, a failure that was passed on; NULL, which was; an error number that was as it is
  (5, 25, 4096, NULL, 0), (5, 25, 17, NULL, 0), (5, 1, -1, NULL, -5),
  (6, 30, 4096, NULL, 0), (6, 1, 0, NULL, -5), (6, 1, 0, NULL, 0),
  (7, 30, 0, NULL, 0), (7, 2, 5, NULL, 5), (7, 1, 7, NULL, 0),
-- negative: false, which nobody passed on as it is
  (8, 30, 1, NULL, 0), (8, 1, 0, NULL, -5),
-- negative: NULL is usual; a comparison; a look-up; a getter; a question
  (9, 10, 4096, NULL, 0), (9, 10, 0, NULL, -5), (10, 30, 0, NULL, 0), (10, 2, -1, NULL, 0), (10, 2, 1, NULL, 0),
  (11, 30, 4096, NULL, 0), (11, 1, 0, NULL, -5), (12, 30, 'x', NULL, 0), (12, 1, 0, NULL, -5), (13, 30, 1, NULL, 0), (13, 1, 0, NULL, -5),
-- negative: most callers go on; an amount, of many negative values; 1 alone; NULL that nobody ever minded; a place or -1, twice
  (20, 30, 5, NULL, 0), (20, 1, -1, NULL, -1), (20, 2, -1, NULL, 0), (14, 200, 50, NULL, 0), (14, 1, -1, NULL, 0), (14, 1, -2, NULL, 0), (14, 1, -3, NULL, 0), (14, 1, -4, NULL, 0), (14, 1, -5, NULL, 0), (14, 1, -6, NULL, 0),
  (14, 1, -7, NULL, 0), (14, 1, -8, NULL, 0), (14, 1, -9, NULL, 0), (15, 30, 0, NULL, 0), (15, 2, 1, NULL, 1), (16, 30, 4096, NULL, 0), (16, 2, 0, NULL, 0),
  (18, 30, 4, NULL, 0), (18, 1, -1, NULL, -5), (19, 30, 4, NULL, 0), (19, 1, -1, NULL, -5);
INSERT INTO c(id, parent_id, function_id, site_id, v0) VALUES (2, 1, 2, 1, 0);
-- load is called by serve once for each
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200),
     one AS (SELECT r.*, 2 * row_number() OVER (ORDER BY r.number, n.i) AS place FROM returned r JOIN n ON n.i <= r.n)
INSERT INTO c(id, parent_id, function_id, site_id, v0, v1, v31)
  SELECT 1 + place, 2, 3, 2, load, NULL, NULL FROM one
  UNION ALL SELECT 2 + place, 1 + place, function_id, 30 + function_id, v0, CASE function_id WHEN 4 THEN '/etc/' || errno END, errno FROM one;
-- edge: a failure of open_file whose caller returns nothing
INSERT INTO c(id, parent_id, function_id, site_id, v0, v1, v31) VALUES (9001, 1, 17, 3, NULL, NULL, NULL), (9002, 9001, 4, 90, -1, '/dev/full', 28);
DROP TABLE returned;
-- positive: commit, whose error run and job hand on (negative), and next_row as the number that it is among others
INSERT INTO f(id, name, targets) VALUES (21, 'commit', 2), (22, 'run', 2), (23, 'job', 2), (24, 'next_row', 2), (25, 'resize', 2), (26, 'clear', 2);
INSERT INTO p VALUES (21, 0, NULL, 'int', 'signed', NULL, 0), (22, 0, NULL, 'int', 'signed', NULL, 0), (23, 0, NULL, 'int', 'signed', NULL, 0),
  (24, 0, NULL, 'int', 'signed', NULL, 0), (25, 0, NULL, 'void *', 'pointer', NULL, 0), (25, 1, 'new_size', 'size_t', 'unsigned', NULL, 0),
  (26, 0, NULL, 'void *', 'pointer', NULL, 0);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO c(id, parent_id, function_id, site_id, v0)
  SELECT 10000 + 5 * i, 1, 23, 93, 8 * (i = 7) FROM n
  UNION ALL SELECT 10001 + 5 * i, 10000 + 5 * i, 22, 92, 8 * (i = 7) FROM n
  UNION ALL SELECT 10002 + 5 * i, 10001 + 5 * i, 21, 91, 8 * (i = 7) FROM n
  UNION ALL SELECT 10003 + 5 * i, 1, 24, 94, CASE i WHEN 7 THEN 8 ELSE 100 END FROM n
  UNION ALL SELECT 10004 + 5 * i, 10003 + 5 * i, 21, 95, 8 * (i = 7) FROM n;
-- negative: NULL for no bytes is none
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
INSERT INTO c(id, parent_id, function_id, site_id, v0, v1)
  SELECT 11000 + 2 * i, 1, 26, 96, CASE i WHEN 3 THEN 0 ELSE 4096 END, NULL FROM n
  UNION ALL SELECT 11001 + 2 * i, 11000 + 2 * i, 25, 97, CASE i WHEN 3 THEN 0 ELSE 4096 END, CASE i WHEN 3 THEN 0 ELSE 64 END FROM n;
.read tests/fixtures/values_made.sql
