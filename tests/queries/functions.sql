-- The small run: each function that was called, the dearest first; `unused` is no row.
.read tests/fixtures/small.sql
-- edge: parse's two calls of 20 and 30 us: a deviation of sqrt(2 * 5000^2 / 1) = 7071.1 ns
-- negative: functions that were called once
-- parameters: min_calls=2
