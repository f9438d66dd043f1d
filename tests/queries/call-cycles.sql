-- positive: parse calls ns::next, which calls parse
.read tests/fixtures/small.sql
INSERT INTO edges VALUES (7, 3, 5, 2, 2, 10, 10, 5, 5, 6, 6),
-- edge: work calls itself: plain recursion
  (8, 4, 6, 4, 3, 9, 9, 9, 9, 9, 9);
-- negative: main calls work, which does not call back
