-- positive: given back too often, behind the end of the object (1); two objects from one place still held (3, 4)
.read tests/fixtures/small.sql
INSERT INTO objects VALUES (1, 1, 0x7000, 100, 71000, 70000, 1, 2, 0, NULL, NULL, 1, 4),
-- negative: all was given back (2)
  (2, 1, 0x7100, 100, 400, 400, 1, 1, 0, NULL, NULL, 5, 7),
  (3, 1, 0x7200, 500, 500, NULL, 1, 0, 1, NULL, NULL, 8, 8), (4, 1, 0x7300, 600, 600, NULL, 1, 0, 1, NULL, NULL, 9, 9),
-- edge: held since before anything was told, given back outside any traced call (5); taken behind its end (6)
  (5, 1, 0x7400, 700, 700, NULL, 0, 1, 2, NULL, NULL, 10, 10), (6, 1, 0x7500, 800, 900, 800, 1, 0, 0, NULL, NULL, 11, 12);
INSERT INTO object_references VALUES
  (1, 1, 'ref', 0, 1, 1, 1, 1, 100, NULL, NULL), (2, 1, 'unref', 1, 1, 9, 4, 6, 61000, NULL, NULL),
  (3, 1, 'gone', NULL, 1, 9, 4, 6, 70000, NULL, NULL),
  (4, 1, 'unref', 0, 2, 11, 6, 7, 71000, 'given back too often', 3),
  (5, 2, 'ref', 0, 1, 1, 1, 1, 100, NULL, NULL), (6, 2, 'unref', 1, 1, 1, 1, 1, 390, NULL, NULL),
  (7, 2, 'gone', NULL, 1, 1, 1, 1, 400, NULL, NULL),
  (8, 3, 'ref', 0, 1, 2, 2, 2, 500, NULL, NULL), (9, 4, 'ref', 0, 1, 2, 2, 2, 600, NULL, NULL),
  (10, 5, 'unref', 3, 2, NULL, NULL, NULL, 700, NULL, NULL),
  (11, 6, 'gone', NULL, 1, 1, 1, 1, 800, NULL, NULL), (12, 6, 'ref', 1, 2, 11, 6, 7, 900, 'ref after gone', 11);
