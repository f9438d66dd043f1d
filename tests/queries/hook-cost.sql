-- positive: parse, of whose 30000 ns 3000 are hooks
.read tests/fixtures/small.sql
UPDATE function_stats SET self_ns = 27000 WHERE function_id = 2;
-- negative: functions without hooks' cost have no row
-- edge: all of ns::next's time was hooks
UPDATE function_stats SET self_ns = 0 WHERE function_id = 3;
