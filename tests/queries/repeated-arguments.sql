.read tests/fixtures/values.sql
INSERT INTO f(id, name) VALUES (2, 'area'), (3, 'part'), (4, 'next_number'), (5, 'check'), (6, 'tiny'), (7, 'mostly_new'), (8, 'unknown'),
  (9, 'sleeps'), (10, 'little'), (11, 'result_unknown'), (12, 'changes'), (13, 'reads');
INSERT INTO p SELECT column1, column2, column3, 'int', 'signed', NULL, 0 FROM (VALUES (2, 0, NULL), (2, 1, 'width'), (2, 2, 'height'), (4, 0, NULL), (4, 1, 'n'),
  (5, 0, NULL), (5, 1, 'n'), (6, 0, NULL), (6, 1, 'n'), (7, 0, NULL), (7, 1, 'n'), (8, 0, NULL), (8, 1, 'n'), (8, 2, 'm'), (9, 0, NULL), (9, 1, 'n'),
  (10, 0, NULL), (10, 1, 'n'), (11, 1, 'n'), (12, 0, NULL), (13, 0, NULL));
INSERT INTO p VALUES (12, 1, 'shop', 'struct shop *', 'pointer', NULL, 0), (13, 1, 'shop', 'const struct shop *', 'pointer', NULL, 0);
-- positive: area, for two sets of arguments, each with calls within
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
INSERT INTO c(id, parent_id, function_id, site_id, ns, v0, v1, v2)
  SELECT 2 * i, 1, 2, 1, 1000, CASE i % 3 WHEN 0 THEN 6 ELSE 20 END, CASE i % 3 WHEN 0 THEN 2 ELSE 4 END, CASE i % 3 WHEN 0 THEN 3 ELSE 5 END FROM n
  UNION ALL SELECT 2 * i + 1, 2 * i, 3, 2, 50, NULL, NULL, NULL FROM n
-- negative: other results for the same arguments; always the same one; faster than a cache; few repeat; arguments not known;
-- waits; saves too little; may change what it is given (positive: one that may not)
  UNION ALL SELECT 100 + i, 1, 4, 3, 1000, i, 7, NULL FROM n
  UNION ALL SELECT 200 + i, 1, 5, 4, 1000, 0, i % 3, NULL FROM n
  UNION ALL SELECT 300 + i, 1, 6, 5, 40, i % 3, i % 3, NULL FROM n
  UNION ALL SELECT 400 + i, 1, 7, 6, 1000, i % 22, i % 22, NULL FROM n
  UNION ALL SELECT 500 + i, 1, 8, 7, 1000, i % 3, i % 3, CASE WHEN i % 2 THEN 1 END FROM n
  UNION ALL SELECT 600 + i, 1, 9, 8, 1000, i % 3, i % 3, NULL FROM n
  UNION ALL SELECT 700 + i, 1, 10, 9, 150, i % 15, i % 15, NULL FROM n
  UNION ALL SELECT 900 + i, 1, 12, 10, 1000, i % 3, 4096 + i % 3, NULL FROM n
  UNION ALL SELECT 1000 + i, 1, 13, 11, 900, i % 3, 4096 + i % 3, NULL FROM n
  UNION ALL SELECT 800 + i, 1, 11, 9, 1000, NULL, i % 3, NULL FROM n;
.read tests/fixtures/values_made.sql
UPDATE function_stats SET wait_ns = total_ns / 2 WHERE function_id = 9;
UPDATE function_stats SET self_ns = 3000000 WHERE function_id = 1;
