CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id INTEGER, day TEXT, amount REAL);
CREATE INDEX orders_customer ON orders(customer_id);
WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i<3000) INSERT INTO customers SELECT i, printf('customer %d', i), CASE i%5 WHEN 0 THEN 'Berlin' WHEN 1 THEN 'Paris' ELSE 'Rome' END FROM n;
WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i<20000) INSERT INTO orders SELECT i, i*7919%3000+1, date('2024-01-01', (i%365)||' days'), (i%977)*1.25 FROM n;
.mode column
.headers on
SELECT city, count(*), sum(amount) FROM customers c JOIN orders o ON o.customer_id=c.id GROUP BY city ORDER BY 3 DESC;
SELECT strftime('%m', day) m, count(*) FROM orders GROUP BY 1 ORDER BY 1;
SELECT name, (SELECT max(amount) FROM orders o WHERE o.customer_id=c.id) m FROM customers c ORDER BY m DESC LIMIT 5;
SELECT * FROM nothing;
SELECT name FROM customers WHERE name LIKE '%99%' ORDER BY name DESC LIMIT 5;
SELECT json_extract('{"a":[1,2,3]}', '$.a[1]');
CREATE TABLE log(id INTEGER PRIMARY KEY, text TEXT UNIQUE);
INSERT INTO log(text) VALUES('a'),('b');
INSERT INTO log(text) VALUES('a');
UPDATE orders SET amount = amount*1.1 WHERE customer_id%10=3;
DELETE FROM orders WHERE id%11=0;
.dump log
.schema
ANALYZE;
VACUUM;
PRAGMA integrity_check;
.read /nonexistent.sql
