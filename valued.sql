.read tests/fixtures/values.sql
INSERT INTO f(id, name) VALUES (2, 'scan'), (3, 'plain');
INSERT INTO p VALUES (2, 1, 'size', 'int', 'signed', NULL, 0), (2, 2, NULL, 'const char *', 'text', NULL, 0), (2, 0, NULL, 'bool', 'bool', NULL, 0);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
INSERT INTO c(id, parent_id, function_id, site_id, ns, v0, v1, v2)
  SELECT 1 + i, 1, 2, 1, 100 * i * i, i % 4 = 0, CASE WHEN i < 12 THEN 10 * i * i ELSE 0 END, CASE i WHEN 12 THEN NULL ELSE '<b>' || (i % 2) END FROM n
  UNION ALL VALUES (20, 1, 3, 2, 10, NULL, NULL, NULL);
