-- positive: lock_queue, whose longest call is 11
.read tests/fixtures/small.sql
UPDATE functions SET name = 'lock_queue' WHERE id = 6;
-- negative: unlock, clock and block are no waits
UPDATE functions SET name = 'clock_unlock' WHERE id = 2;
UPDATE functions SET name = 'free_block' WHERE id = 3;
-- edge: a wait too short to count
UPDATE functions SET name = 'wait_for' WHERE id = 4;
UPDATE function_stats SET total_ns = 999 WHERE function_id = 4;
-- negative: nor what says that it takes none
UPDATE functions SET name = 'nolocks_time' WHERE id = 5;
