-- positive: ns::next, now with one call of 5 that took 100 times as long as the others
.read tests/fixtures/small.sql
UPDATE function_stats SET max_ns = 102000, mean_ns = 22000.0, m2 = 8000000000.0, slowest_call_id = 8 WHERE function_id = 3;
-- negative: parse, whose two calls differ little
-- edge: main, called once, has no deviation
-- negative: work, as scattered, but recursive; log_line, whose slowest call spent its time in a callee
UPDATE function_stats SET finished = 5, max_ns = 102000, mean_ns = 22000.0, m2 = 8000000000.0, recursive_calls = 1 WHERE function_id = 4;
UPDATE function_stats SET finished = 5, max_ns = 102000, mean_ns = 22000.0, m2 = 8000000000.0 WHERE function_id = 6;
UPDATE calls SET children_ns = 5001 WHERE id = 11;
-- parameters: min_calls=1
