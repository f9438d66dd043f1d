-- parameters: min_calls=4
-- positive: verbose of print, and its NULL and its text; of scale the factor, which both callers pass
.read tests/fixtures/values.sql
INSERT INTO f(id, name) VALUES (2, 'load'), (3, 'save'), (4, 'print'), (5, 'scale'), (6, 'rare'), (7, 'by_one'), (8, 'callback'),
  (9, 'Shop::size'), (10, 'not_all_known'), (11, 'recursive'), (12, 'long_texts');
INSERT INTO p VALUES (4, 1, 'verbose', 'bool', 'bool', NULL, 0), (4, 2, 'out', 'FILE *', 'pointer', NULL, 0),
  (4, 3, 'format', 'const char *', 'text', NULL, 0), (5, 1, 'factor', 'double', 'float', NULL, 0), (5, 2, 'n', 'int', 'signed', NULL, 0);
-- negative: called too rarely; passed by one function alone, though from two sites; called through a pointer; this; not
-- known in one call; by others than itself once; a text of which only the first bytes are known; of scale n, which changes;
-- a pointer to the one object of its kind
INSERT INTO p SELECT column1, 1, column2, column3, column4, NULL, 0 FROM (VALUES (6, 'n', 'int', 'signed'), (7, 'n', 'int', 'signed'),
  (8, 'n', 'int', 'signed'), (9, 'this', 'Shop *', 'pointer'), (10, 'n', 'int', 'signed'), (11, 'n', 'int', 'signed'),
  (12, 's', 'const char *', 'text'));
INSERT INTO p VALUES (9, 2, 'state', 'struct state *', 'pointer', NULL, 0);
INSERT INTO c(id, parent_id, function_id, site_id) VALUES (2, 1, 2, 1), (100, 1, 3, 2);
CREATE TEMP TABLE calls_of(function_id INTEGER, site INTEGER, n INTEGER, v1, v2, v3);
INSERT INTO calls_of VALUES (4, 1, 3, 0, 0, '%s\n'), (4, 2, 3, 0, 0, '%s\n'), (5, 3, 3, 0.5, NULL, NULL), (5, 4, 3, 0.5, NULL, NULL),
  (6, 5, 1, 1, NULL, NULL), (6, 6, 1, 1, NULL, NULL), (7, 7, 3, 1, NULL, NULL), (7, 9, 3, 1, NULL, NULL),
  (8, 1001, 3, 1, NULL, NULL), (8, 1002, 3, 1, NULL, NULL), (9, 15, 3, 4096, 8192, NULL), (9, 16, 3, 4096, 8192, NULL), (10, 17, 3, 1, NULL, NULL),
  (10, 18, 3, 1, NULL, NULL), (11, 19, 5, 1, NULL, NULL), (12, 21, 3, 'abc\...', NULL, NULL), (12, 22, 3, 'abc\...', NULL, NULL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5)
INSERT INTO c(id, parent_id, function_id, site_id, ns, v1, v2, v3)
  SELECT CASE WHEN site % 2 THEN 2 ELSE 100 END + row_number() OVER (PARTITION BY site % 2 ORDER BY function_id, site, i),
         CASE WHEN site % 2 THEN 2 ELSE 100 END, function_id, site, 100 * function_id,
         CASE WHEN function_id = 10 AND i = 3 AND site = 17 THEN NULL ELSE v1 END, CASE WHEN function_id = 5 THEN i ELSE v2 END, v3
  FROM calls_of JOIN n ON n.i <= calls_of.n;
-- edge: the last of them by the one before, which is no other caller
UPDATE c SET parent_id = id - 1, site_id = 23 WHERE id = (SELECT max(id) FROM c WHERE function_id = 11);
DROP TABLE calls_of;
.read tests/fixtures/values_made.sql
