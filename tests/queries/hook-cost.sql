-- positive: parse, of whose 30000 ns 3000 are hooks; of the others it waited and was put aside for 21000,
-- so that half of what ran were hooks
.read tests/fixtures/small.sql
UPDATE function_stats SET self_ns = 27000, self_wait_ns = 4000, self_preempted_ns = 20000 WHERE function_id = 2;
-- negative: functions without hooks' cost have no row
-- edge: all of ns::next's time was hooks
UPDATE function_stats SET self_ns = 0 WHERE function_id = 3;
-- the whole run's cost is what the load took out, more than functions' times could give
INSERT INTO run VALUES ('hook_cost_ns', 25000), ('hook_cost_error_ns', 5000);
