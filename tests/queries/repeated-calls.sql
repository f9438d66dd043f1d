-- positive: parse calls ns::next three times in a row
.read tests/fixtures/small.sql
INSERT INTO callee_runs VALUES (2, 3, 2, 5, 2, 3, 2, 20000),
-- negative: main calls work once
  (1, 4, 1, 1, 1, 1, 1, 40000),
-- edge: a callee run exactly as long as asked for
  (1, 2, 1, 2, 1, 2, 1, 50000);
-- parameters: min_longest=2
