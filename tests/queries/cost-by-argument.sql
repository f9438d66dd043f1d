.read tests/fixtures/values.sql
INSERT INTO f(id, name) VALUES (2, 'callee'), (3, 'pairs'), (4, 'each'), (5, 'fib'), (6, 'by_time'), (7, 'scattered'), (8, 'few_values'), (9, 'narrow'), (10, 'constant'),
  (11, 'two_parameters'), (12, 'little'), (13, 'too_short');
INSERT INTO p SELECT column1, 1, 'n', 'int', 'signed', NULL, 0 FROM (VALUES (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13));
INSERT INTO p VALUES (11, 2, 'flag', 'int', 'signed', NULL, 0);
CREATE TEMP TABLE made_of(function_id INTEGER, n INTEGER, below INTEGER, ns INTEGER, v2);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 24), fibs(i, a, b) AS (SELECT 1, 1, 1 UNION ALL SELECT i + 1, b, a + b FROM fibs WHERE i < 12)
INSERT INTO made_of
-- positive: quadratic by calls, and by time though no calls are made; linear with a fixed cost; exponential, over a range of 12
  SELECT 3, i, i * i, 100, NULL FROM n
  UNION ALL SELECT 6, 100 * i, 0, 10 * i * i, NULL FROM n
  UNION ALL SELECT 4, i, 3 + i, 100, NULL FROM n
  UNION ALL SELECT 5, i, a, 100, NULL FROM fibs
-- positive: n, not the flag, which says less
  UNION ALL SELECT 11, i, 2 * i, 100, 1 + i % 12 FROM n
-- negative: no curve; few values; of a narrow range; cost that does not grow; a function that takes next to nothing
  UNION ALL SELECT 7, i, i * 7919 % 23, 100, NULL FROM n
  UNION ALL SELECT 8, i * i * i, i * i, 100, NULL FROM n WHERE i <= 5
  UNION ALL SELECT 9, 100 + i, 100 + i, 1, NULL FROM n WHERE i <= 4
  UNION ALL SELECT 10, i, 5, 1000, NULL FROM n
  UNION ALL SELECT 12, i, 0, i, NULL FROM n
-- negative: by time alone, and in no time
  UNION ALL SELECT 13, i, 0, 40 * i, NULL FROM n
-- edge: values of 0 and less have no logarithm
  UNION ALL SELECT 4, -3, 3, 100, NULL UNION ALL SELECT 4, 0, 3, 100, NULL;
WITH RECURSIVE placed AS MATERIALIZED (
       SELECT *, 2 + coalesce(sum(below + 1) OVER (ORDER BY function_id, n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS id FROM made_of),
     k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i < 600)
INSERT INTO c(id, parent_id, function_id, site_id, ns, v1, v2)
  SELECT placed.id + k.i, CASE k.i WHEN 0 THEN 1 ELSE placed.id END, CASE k.i WHEN 0 THEN function_id ELSE 2 END, 100 + function_id,
         CASE k.i WHEN 0 THEN ns ELSE 100 END, CASE k.i WHEN 0 THEN n END, CASE k.i WHEN 0 THEN v2 END
  FROM placed JOIN k ON k.i <= placed.below;
DROP TABLE made_of;
.read tests/fixtures/values_made.sql
UPDATE function_stats SET self_ns = 1000000 WHERE function_id = 1;
