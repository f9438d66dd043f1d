-- The small run: ns::next was called most; unused was not called and is no row.
.read tests/fixtures/small.sql
-- parameters: min_calls=1
