-- positive: work always comes after parse, in main
.read tests/fixtures/small.sql
INSERT INTO callee_transitions VALUES (1, 0, 2, 2, 1), (1, 2, 4, 2, 1),
-- positive: log_line after ns::next, in two callers: to be encapsulated
  (5, 3, 6, 1, 10), (1, 3, 6, 1, 1),
-- negative: ns::next, which is first, or after work
  (2, 0, 3, 2, 2), (2, 4, 3, 1, 2);
-- edge: unused is called by nobody; parse is always the first
