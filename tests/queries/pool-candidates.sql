-- positive: parse, whose blocks have one size
.read tests/fixtures/small.sql
UPDATE function_stats SET live_blocks_max = 2 WHERE function_id = 2;
INSERT INTO alloc_sizes VALUES (1, 100, 2),
-- negative: work, whose blocks have three sizes
  (2, 10, 1), (2, 20, 1), (2, 4096, 1);
-- edge: log_line, with one size and too many others (-1)
INSERT INTO alloc_stacks VALUES (3, 6, 7, 'malloc', 9, 32, 0, 0, 1, 32, 0, 0, 1, 32, 0, NULL, 0, 5, 5, 4, 4, NULL, NULL);
INSERT INTO alloc_sizes VALUES (3, 8, 4), (3, -1, 5);
-- parameters: min_blocks=2
