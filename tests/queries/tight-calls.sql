-- positive: ns::next, invoked again after 256 to 511 ns most times
.read tests/fixtures/small.sql
INSERT INTO intervals VALUES (3, 8, 3), (3, 12, 1),
-- negative: parse, with long intervals
  (2, 15, 1),
-- edge: worker's intervals are short, but no range has most of them
  (5, 3, 1), (5, 5, 1), (5, 7, 1);
-- parameters: min_calls=1
