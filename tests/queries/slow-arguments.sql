.read tests/fixtures/values.sql
INSERT INTO f(id, name) VALUES (2, 'draw'), (3, 'one_outlier'), (4, 'by_size'), (5, 'usual'), (6, 'descend'), (7, 'address'), (8, 'short'), (9, 'little'), (10, 'many_slow');
INSERT INTO enumerators VALUES (1, 0, 0, 'FLAT', NULL), (1, 1, 1, 'SHADED', NULL);
INSERT INTO p VALUES (2, 1, 'mode', 'enum mode', 'enum', 1, 0), (2, 2, 'name', 'const char *', 'text', NULL, 0), (7, 1, 'object', 'struct object *', 'pointer', NULL, 0);
INSERT INTO p SELECT id, 1, 'n', 'int', 'signed', NULL, 0 FROM f WHERE id NOT IN (1, 2, 7);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO c(id, parent_id, function_id, site_id, ns, v1, v2)
-- positive: SHADED, and the name that comes with it alone
  SELECT 100 + i, 1, 2, 2, CASE i % 8 WHEN 0 THEN 9000 + i ELSE 200 END, i % 8 = 0, CASE i % 8 WHEN 0 THEN 'sky' ELSE 'tree' || i % 3 END FROM n
-- negative: one slow call of many with this value; larger values that cost more; what is slow half of the time is usual;
-- recursive; one object; too short to be slow; too little in all
  UNION ALL SELECT 200 + i, 1, 3, 3, CASE i WHEN 16 THEN 90000 ELSE 200 END, i % 8, NULL FROM n
  UNION ALL SELECT 300 + i, 1, 4, 4, 100 * (1 + i % 8) * (1 + i % 8), 100 * (i % 8), NULL FROM n
  UNION ALL SELECT 400 + i, 1, 5, 5, CASE i % 2 WHEN 0 THEN 9000 ELSE 200 END, i % 2, NULL FROM n
  UNION ALL SELECT 500 + i, CASE WHEN i % 8 = 0 THEN 499 + i ELSE 1 END, 6, 6, CASE i % 8 WHEN 0 THEN 9000 ELSE 200 END, i % 8, NULL FROM n
  UNION ALL SELECT 600 + i, 1, 7, 7, CASE i % 8 WHEN 0 THEN 9000 ELSE 200 END, 4096 + i % 8, NULL FROM n
  UNION ALL SELECT 700 + i, 1, 8, 8, CASE i % 8 WHEN 0 THEN 900 ELSE 20 END, i % 8, NULL FROM n
-- negative: a value like many others, whose calls explain little of the function's time
  UNION ALL SELECT 1000 + 40 * k.i + n.i, 1, 10, 9, CASE WHEN k.i = 3 AND n.i <= 4 THEN 6000 ELSE 1100 END, CASE WHEN k.i = 3 AND n.i <= 4 THEN 0 ELSE k.i END, NULL
    FROM n CROSS JOIN n k WHERE k.i <= 10
-- edge: NULL is no address
  UNION ALL SELECT 800 + i, 1, 7, 7, CASE i % 8 WHEN 0 THEN 9000 ELSE 200 END, CASE i % 8 WHEN 0 THEN 0 ELSE 4097 END, NULL FROM n
  UNION ALL SELECT 900 + i, 1, 9, 8, CASE i % 8 WHEN 0 THEN 1100 ELSE 20 END, i % 8, NULL FROM n;
.read tests/fixtures/values_made.sql
UPDATE function_stats SET self_ns = 6000000 WHERE function_id = 1;
