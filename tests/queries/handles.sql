.read tests/fixtures/values.sql
INSERT INTO f(id, name) VALUES (2, 'node_new'), (3, 'node_free'), (4, 'node_clone'), (5, 'node_print'), (6, 'mutex_lock'), (7, 'mutex_unlock'),
  (8, 'port_open'), (9, 'port_close'), (10, 'job'), (11, 'arena_new'), (12, 'arena_free'), (13, 'item_new'), (14, 'item_free'), (15, 'item_print'),
  (16, 'try_lock'), (17, 'try_unlock');
INSERT INTO p SELECT column1, column2, NULL, column3, column4, NULL, 0 FROM (VALUES
  (2, 0, 'struct node *', 'pointer'), (3, 1, 'struct node *', 'pointer'), (4, 0, 'struct node *', 'pointer'), (4, 1, 'const struct node *', 'pointer'),
  (5, 1, 'const struct node *', 'pointer'), (6, 1, 'struct mutex *', 'pointer'), (7, 1, 'struct mutex *', 'pointer'),
  (8, 0, 'int', 'signed'), (8, 1, 'int', 'signed'), (9, 1, 'int', 'signed'), (11, 0, 'struct arena *', 'pointer'), (12, 1, 'struct arena *', 'pointer'),
  (13, 0, 'struct item *', 'pointer'), (14, 1, 'struct item *', 'pointer'), (15, 1, 'struct item *', 'pointer'),
  (16, 0, 'bool', 'bool'), (16, 1, 'struct mutex *', 'pointer'), (17, 1, 'struct mutex *', 'pointer'));
CREATE TEMP TABLE steps(number INTEGER PRIMARY KEY, function_id INTEGER, v0, v1, site INTEGER);
INSERT INTO steps(function_id, v0, v1, site) VALUES
-- negative: given and given back, an address twice; a clone
  (2, 4096, NULL, 1), (5, NULL, 4096, 2), (3, NULL, 4096, 3), (2, 4096, NULL, 1), (4, 4112, 4096, 4), (3, NULL, 4096, 3), (3, NULL, 4112, 3),
  (2, 0, NULL, 1), -- NULL is no handle
-- positive: given back twice, used in between and afterwards
  (2, 4128, NULL, 1), (3, NULL, 4128, 3), (5, NULL, 4128, 5), (3, NULL, 4128, 6), (5, NULL, 4128, 5),
-- edge: one that was there before
  (3, NULL, 8192, 3),
-- positive: never given back, twice from one place
  (2, 4144, NULL, 7), (2, 4160, NULL, 7), (4, 4176, 4144, 4), (3, NULL, 4176, 3), (5, NULL, 4144, 2), (2, 4192, NULL, 7), (3, NULL, 4192, 3),
-- negative: a lock that is taken twice, and given back twice; used afterwards, for that is no error
  (6, NULL, 512, 10), (6, NULL, 512, 10), (7, NULL, 512, 11), (7, NULL, 512, 11), (6, NULL, 512, 10), (7, NULL, 512, 11),
-- positive: one that is not given back
  (6, NULL, 528, 12),
-- negative: it was not got
  (16, 0, 544, 12), (16, 1, 544, 12), (17, NULL, 544, 13),
-- positive: numbers, 0 too; -1 is none
  (8, 0, 80, 14), (8, 3, 81, 14), (9, NULL, 3, 15), (8, 3, 82, 14), (9, NULL, 3, 15), (8, -1, 83, 14), (9, NULL, 0, 15), (8, 5, 84, 14), (8, 6, 84, 14), (9, NULL, 6, 15),
-- negative: the last one that was opened, which the end of the program closes
  (8, 7, 84, 14),
-- negative: arenas, which the end of the program frees, but one
  (11, 65536, NULL, 16), (11, 65552, NULL, 16), (11, 65568, NULL, 16), (12, NULL, 65568, 17),
-- negative: items that others make, too: an address may be theirs
  (13, 131072, NULL, 18), (14, NULL, 131072, 19), (15, NULL, 131088, 20), (15, NULL, 131104, 20), (15, NULL, 131072, 20),
-- negative: one address that is made anew was given back in another way
  (2, 4208, NULL, 1), (2, 4208, NULL, 1), (3, NULL, 4208, 3),
-- negative: made at one time and never given back (nodes are, elsewhere)
  (2, 4224, NULL, 22), (2, 4240, NULL, 22);
INSERT INTO c(id, parent_id, function_id, site_id) VALUES (400, 1, 10, 99);
INSERT INTO c(id, parent_id, function_id, site_id, v0, v1) SELECT 400 + number, 400, function_id, site, v0, v1 FROM steps WHERE number > 30;
INSERT INTO c(id, parent_id, function_id, site_id, v0, v1) SELECT 200 + number, 1, function_id, site + 30, v0, v1 FROM steps WHERE number <= 30;
-- negative: used within the call that gives the address anew
INSERT INTO c(id, parent_id, function_id, site_id, ns, v0, v1) VALUES (500, 1, 2, 31, 5000, 4128, NULL), (501, 500, 5, 21, 100, NULL, 4128),
  (520, 1, 3, 33, 100, NULL, 4128);
-- negative: a function that makes by another one, and one that begins anew what it has taken back
INSERT INTO c(id, parent_id, function_id, site_id, ns, v0, v1) VALUES (530, 1, 2, 31, 5000, 4256, NULL), (531, 530, 4, 24, 100, 4256, 4096),
  (540, 1, 3, 33, 5000, NULL, 4256), (541, 540, 2, 25, 100, 4256, NULL);
-- positive: made again and again from one place, and never given back from there
INSERT INTO c(id, parent_id, function_id, site_id, v0, v1) VALUES (600, 1, 2, 60, 4272, NULL), (700, 1, 2, 60, 4288, NULL), (800, 1, 2, 60, 4304, NULL);
DROP TABLE steps;
.read tests/fixtures/values_made.sql
