-- positive: work, called once at 2 % of the run
.read tests/fixtures/small.sql
UPDATE function_stats SET first_enter_ns = 2000 WHERE function_id = 4;
-- negative: parse, called twice; log_line, called once at 70 %
-- edge: main is called once at the start, and is the run
