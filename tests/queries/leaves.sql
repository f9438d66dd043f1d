-- positive: ns::next and work call nobody
.read tests/fixtures/small.sql
-- negative: main, parse and worker call others
-- edge: a leaf with exactly as many calls as asked for; log_line has fewer
UPDATE function_stats SET calls = 2 WHERE function_id = 4;
-- parameters: min_calls=2
