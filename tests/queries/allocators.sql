-- positive: work and parse allocate, log_line and main free; edge: worker does so in callees only
.read tests/fixtures/small.sql
-- edge: a function that does both is mixed
UPDATE function_stats SET frees = 1, free_bytes = 100 WHERE function_id = 2;
-- negative: ns::next neither allocates nor frees and is no row
