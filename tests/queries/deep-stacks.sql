-- positive: ns::next, three calls deep
.read tests/fixtures/small.sql
-- negative: parse and main, at whose deepest call others were made
-- edge: only so many as asked for
-- parameters: rows=2
