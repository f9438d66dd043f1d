-- positive: main calls two functions
.read tests/fixtures/small.sql
-- negative: parse calls one
-- edge: with exactly as many as asked for it counts
-- parameters: min_callees=2
