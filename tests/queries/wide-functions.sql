-- positive: main calls two functions
.read tests/fixtures/small.sql
-- negative: parse calls one
-- edge: with exactly as many as asked for it counts
-- negative: worker, which calls two functions in all and one from each place it is called from
INSERT INTO frames SELECT 7, NULL, 5, 3, 0, 1, 1, 1, 1, 1, 1.0, 0, 1, 10, 10, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0;
INSERT INTO frames SELECT 8, 7, 4, 4, 1, 1, 1, 1, 1, 1, 1.0, 0, 1, 10, 10, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0;
UPDATE function_stats SET callees = 2 WHERE function_id = 5;
-- parameters: min_callees=2
