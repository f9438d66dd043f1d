-- positive: ns::next, now with one call of 5 that took 100 times as long as the others
.read tests/fixtures/small.sql
UPDATE function_stats SET max_ns = 102000, mean_ns = 22000.0, m2 = 8000000000.0, slowest_call_id = 8 WHERE function_id = 3;
-- negative: parse, whose two calls differ little
-- edge: main, called once, has no deviation
-- parameters: min_calls=1
