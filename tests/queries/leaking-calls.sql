-- positive: parse, one of whose calls left 100 bytes
.read tests/fixtures/small.sql
UPDATE function_stats SET leaking_calls = 1, leaked_bytes = 100, worst_leak_bytes = 100, worst_leak_call_id = 6 WHERE function_id = 2;
-- negative: ns::next, which allocates nothing
-- edge: work left a single byte, main less than asked for
UPDATE function_stats SET leaking_calls = 1, leaked_bytes = 2, worst_leak_bytes = 2, worst_leak_call_id = 9 WHERE function_id = 4;
UPDATE function_stats SET leaking_calls = 1, leaked_bytes = 1, worst_leak_bytes = 1, worst_leak_call_id = 1 WHERE function_id = 1;
-- parameters: min_bytes=2
