-- positive: the parameters of parse, the hottest, then those of pick; values of each kind
.read tests/fixtures/values.sql
INSERT INTO f(id, name) VALUES (2, 'parse'), (3, 'pick'), (4, 'without_parameters'), (5, 'unknown'), (6, 'many');
INSERT INTO enumerators VALUES (1, 0, 0, 'RED', NULL), (1, 1, 1, 'GREEN', NULL), (2, 0, 1, 'READ', 1), (2, 1, 2, 'WRITE', 2);
INSERT INTO p VALUES
  (2, 1, 'text', 'const char *', 'text', NULL, 0), (2, 2, 'count', 'int', 'signed', NULL, 0), (2, 3, NULL, 'bool', 'bool', NULL, 0),
  (2, 0, NULL, 'int', 'signed', NULL, 0), (3, 1, 'color', 'enum color', 'enum', 1, 0), (3, 2, 'modes', 'enum modes', 'enum', 2, 1),
  (3, 3, 'next', 'void (*)(void)', 'function', NULL, 0), (5, 1, 'x', 'double', 'float', NULL, 0), (6, 1, 'i', 'int', 'signed', NULL, 0);
INSERT INTO c(id, parent_id, function_id, site_id, ns, v0, v1, v2, v3) VALUES
  (2, 1, 2, 5, 500, 1, 'a "quoted"', -3, 1), (3, 1, 2, 5, 500, 1, 'long\...', 40, 0), (4, 1, 2, 6, 500, 1, 'a "quoted"', 40, 1),
  (5, 1, 2, 6, 500, 1, 0, NULL, 1), -- edge: NULL; an argument that is not known
  (6, 1, 3, 7, 300, NULL, 1, 3, 'parse'), (7, 1, 3, 7, 300, NULL, 1, 4, 0), (8, 1, 3, 7, 300, NULL, 0, 2, 4660),
-- negative: without parameters; none of its arguments is known
  (9, 1, 4, 8, 100, NULL, NULL, NULL, NULL), (10, 1, 5, 8, 100, NULL, NULL, NULL, NULL);
-- edge: more values than are counted, one of them often
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80)
INSERT INTO c(id, parent_id, function_id, site_id, ns, v1) SELECT 10 + i, 1, 6, 9, 1, CASE WHEN i % 4 = 0 THEN 7 ELSE 1000 + i END FROM n;
.read tests/fixtures/values_made.sql
UPDATE parameter_stats SET counted = 0 WHERE distinct_values > 50;
-- the views agree on what values are shown as
CREATE TEMP TABLE disagrees(n INTEGER CHECK (n = 0));
INSERT INTO disagrees SELECT count(*) FROM value_counts k JOIN parameters p ON p.id = k.parameter_id
  JOIN value_count_texts t ON t.parameter_id = k.parameter_id AND t.rank = k.rank
  LEFT JOIN call_arguments a ON a.call_id = k.first_call_id AND a.position = p.position WHERE a.text IS NOT t.text;
INSERT INTO disagrees SELECT count(*) = 0 FROM value_counts;
