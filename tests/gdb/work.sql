-- Uses as much of SQLite as possible, for the values' oracle.
.headers on
.mode box
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT COLLATE NOCASE, c REAL, d BLOB, UNIQUE(b, c), CHECK (c < 1e9));
CREATE INDEX i ON t(c DESC) WHERE c > 2;
CREATE TABLE log(x, y DEFAULT (1 + 2), z GENERATED ALWAYS AS (x || 'z')) ;
CREATE TRIGGER tr AFTER INSERT ON t WHEN new.a % 7 = 0 BEGIN INSERT INTO log(x) VALUES (new.b); UPDATE t SET c = c + 1 WHERE a = new.a; END;
CREATE VIEW v AS SELECT a, b, upper(b) AS u FROM t WHERE a > 3;
BEGIN;
INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) SELECT i, 'row ' || (i * 37 % 101), i / 3.0, zeroblob(i % 5) FROM n;
SAVEPOINT s; DELETE FROM t WHERE a = 5; ROLLBACK TO s; RELEASE s;
COMMIT;
SELECT count(*), sum(c), avg(a), group_concat(b, '+'), total(a), min(b), max(c) FROM t WHERE a < 12;
SELECT b, c FROM t WHERE c BETWEEN 3 AND 7 ORDER BY b DESC LIMIT 3 OFFSET 1;
SELECT a, row_number() OVER (ORDER BY c), lag(b) OVER w, sum(c) OVER (PARTITION BY a % 3 ROWS 2 PRECEDING) FROM t WINDOW w AS (ORDER BY a) LIMIT 4;
SELECT t1.a, t2.b FROM t t1 LEFT JOIN t t2 ON t2.a = t1.a + 1 WHERE t1.b LIKE 'row 1%' OR t1.b GLOB '*9' LIMIT 3;
SELECT * FROM v JOIN log ON 1 LIMIT 2;
EXPLAIN QUERY PLAN SELECT * FROM t, log WHERE t.b = log.x;
EXPLAIN SELECT 1;
SELECT json_extract('{"a": [1, 2.5, {"b": "c"}]}', '$.a[2].b'), json_group_array(a) FROM t WHERE a IN (1, 3, 5);
SELECT * FROM json_each('[1, "two", null]');
SELECT strftime('%Y-%m-%d', 0, 'unixepoch', '+1 month'), round(2.567, 2), hex(randomblob(0)), printf('%08.3f|%x|%q', 3.14159, 255, 'it''s'), substr('hello', 2, 3), instr('abc', 'c'), replace('aXb', 'X', '-'), typeof(1.0), quote(x'00ff'), abs(-3), coalesce(NULL, 4), iif(1, 2, 3), unicode('ä'), char(97), trim('  x '), soundex('x');
SELECT a FROM t INTERSECT SELECT 3 UNION SELECT 4 EXCEPT SELECT 9 ORDER BY 1;
SELECT CASE a % 3 WHEN 0 THEN 'zero' ELSE CAST(c AS INTEGER) END, a & 3, a << 2, ~a, -c, a IS NOT NULL, EXISTS (SELECT 1 FROM log) FROM t GROUP BY 1 HAVING count(*) > 1 LIMIT 4;
UPDATE t SET b = b || '!' FROM log WHERE log.x = t.b RETURNING a, b;
INSERT INTO t VALUES (1, 'x', 2, 3) ON CONFLICT(a) DO UPDATE SET c = excluded.c;
INSERT OR IGNORE INTO t VALUES (1, 'x', 2, 3);
INSERT INTO t VALUES (1, 'x', 2, 3);
SELECT nothing FROM nowhere;
SELECT 1 +;
ALTER TABLE log ADD COLUMN w;
ALTER TABLE log RENAME COLUMN w TO ww;
CREATE TABLE wr(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO wr VALUES ('a', 1), ('b', 2);
PRAGMA table_info(t);
PRAGMA integrity_check;
PRAGMA foreign_keys = on;
CREATE TABLE child(p REFERENCES t(a) ON DELETE CASCADE);
INSERT INTO child VALUES (2);
DELETE FROM t WHERE a = 2;
ANALYZE;
ATTACH ':memory:' AS aux;
CREATE TABLE aux.copy AS SELECT * FROM t LIMIT 5;
VACUUM;
REINDEX;
.schema
.tables
.mode csv
SELECT * FROM aux.copy;
.mode insert
SELECT * FROM wr;
.dump wr
DROP VIEW v;
DROP TABLE log;
