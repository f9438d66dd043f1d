-- positive: log_line, called once at 98 % of the run
.read tests/fixtures/small.sql
UPDATE function_stats SET first_enter_ns = 98000 WHERE function_id = 6;
-- negative: work, called once at 60 %
-- edge: exactly at the limit counts
UPDATE function_stats SET first_enter_ns = 95000 WHERE function_id = 5;
UPDATE function_stats SET raw_total_ns = 5000 WHERE function_id = 5;
