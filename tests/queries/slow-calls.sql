-- positive: the slowest calls of main, parse and ns::next
.read tests/fixtures/small.sql
INSERT INTO slow_calls(function_id, rank, call_id, duration_ns, raw_duration_ns) VALUES
  (1, 1, 1, 100000, 100000), (2, 1, 2, 30000, 30000), (2, 2, 6, 20000, 20000),
-- negative: the third of ns::next, where two a function are asked for
  (3, 1, 3, 6000, 6000), (3, 2, 8, 6000, 6000), (3, 3, 4, 3000, 3000),
-- edge: a call whose row is not there (load --summary) keeps its place
  (4, 1, 99, 40000, 40000);
-- parameters: per_function=2
