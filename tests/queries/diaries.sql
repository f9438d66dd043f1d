-- positive: the lock at 0x7000 was made and destroyed by main, then wanted by log_line in another thread; told
.read tests/fixtures/small.sql
INSERT INTO objects VALUES (1, 1, 0x7000, 100, 71000, NULL, 0, 0, 0, 1, 4, NULL, NULL),
-- edge: more moments than are shown; states that are numbers; outside any traced call, at no known place
  (2, 1, 0x8000, 200, 2000, NULL, 0, 0, 0, 5, 13, NULL, NULL),
-- negative: an object with references alone
  (3, 1, 0x9000, 300, 300, NULL, 1, 0, 1, NULL, NULL, 1, 1);
INSERT INTO object_references VALUES (1, 3, 'ref', 0, 1, 1, 1, 1, 300, NULL, NULL);
INSERT INTO diaries VALUES (1, 1, 'keep', 'made', 1, 1, 1, 1, 100), (2, 1, 'keep', 'destroyed', 1, 9, 4, 6, 61000),
  (3, 1, 'keep', 'wanted', 2, 11, 6, 7, 70500), (4, 1, 'tell', NULL, 2, 11, 6, 7, 71000),
  (5, 2, 'keep', 1, 1, 1, 1, 1, 200), (6, 2, 'keep', -2, 2, NULL, NULL, NULL, 210), (7, 2, 'keep', 3, 1, 1, 1, 1, 220),
  (8, 2, 'keep', 4, 1, 1, 1, 1, 230), (9, 2, 'keep', 5, 1, 1, 1, 1, 240), (10, 2, 'keep', 6, 1, 1, 1, 1, 250),
  (11, 2, 'keep', 7, 1, 1, 1, 1, 260), (12, 2, 'keep', 8, 1, 1, 1, 1, 270), (13, 2, 'keep', 9, 2, 11, 6, 7, 2000);
