-- parameters: min_calls=10 min_hot_calls=10
.read tests/fixtures/values.sql
INSERT INTO f(id, name) VALUES (2, 'scale'), (3, 'draw'), (4, 'title'), (5, 'hash'), (6, 'one_place'), (7, 'rare'), (8, 'half_known');
INSERT INTO p SELECT column1, column2, column3, column4, column5, NULL, 0 FROM (VALUES
-- positive: whole numbers as double; 0 and 1 from two places; a text that is empty, one that is NULL; of the hottest function 64 bits
  (2, 1, 'steps', 'double', 'float'), (3, 1, 'filled', 'int', 'signed'), (4, 1, 'prefix', 'const char *', 'text'), (4, 2, 'suffix', 'const char *', 'text'),
  (5, 1, 'seed', 'long', 'signed'),
-- negative: a fraction; what is counted, or a code; a text now and then; what is too large for 32 bits; a single place; too few calls; not always known
  (2, 2, 'by', 'double', 'float'), (3, 2, 'count', 'int', 'signed'), (3, 3, 'encoding', 'int', 'signed'), (4, 3, 'text', 'const char *', 'text'), (5, 2, 'big', 'uint64_t', 'unsigned'),
  (6, 1, 'flag', 'int', 'signed'), (7, 1, 'flag', 'int', 'signed'), (8, 1, 'flag', 'int', 'signed'),
-- edge: int has no more than 32 bits
  (5, 3, 'small', 'unsigned int', 'unsigned'));
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
INSERT INTO c(id, parent_id, function_id, site_id, ns, v1, v2, v3)
  SELECT 100 + i, 1, 2, 1, 100, 2.0 * i, 0.5 * i, NULL FROM n
  UNION ALL SELECT 200 + i, 1, 3, 2 + i % 2, 100, i % 2, i % 2, i % 2 FROM n
  UNION ALL SELECT 300 + i, 1, 4, 4, 100, '', 0, CASE i WHEN 5 THEN 'x' ELSE '' END FROM n
  UNION ALL SELECT 400 + i, 1, 5, 5, 9000, 1000 * i, 4294967295 + i, i FROM n
  UNION ALL SELECT 500 + i, 1, 6, 6, 100, i % 2, NULL, NULL FROM n
  UNION ALL SELECT 600 + i, 1, 7, 6 + i % 2, 100, i % 2, NULL, NULL FROM n WHERE i < 9
  UNION ALL SELECT 700 + i, 1, 8, 8 + i % 2, 100, CASE WHEN i > 1 THEN i % 2 END, NULL, NULL FROM n;
.read tests/fixtures/values_made.sql
