-- parameters: min_copied=40
-- positive: parse grew a block four times
.read tests/fixtures/small.sql
INSERT INTO alloc_chains VALUES (1, 1, 2, 1, 4, 2, 300, 10, 33), (2, 1, 1, 1, 2, 1, 50, 10, 15),
-- negative: work, whose chain is short
  (3, 3, 3, 2, 2, 2, 4096, 4096, 5000),
-- negative: one that grew by half of its size, or doubled, each time
  (6, 1, 2, 1, 4, 2, 300, 10, 34),
  (5, 1, 2, 1, 9, 9, 300, 10, 2560);
-- edge: a chain exactly as long as asked for, outside any traced call
INSERT INTO alloc_stacks VALUES (3, NULL, NULL, 'realloc', 4, 32, 4, 32, 1, 32, 1, 8, 8, 8, 5, 5, 0, 5, 5, 4, 4, NULL, NULL);
INSERT INTO alloc_chains VALUES (4, 1, 3, 3, 3, 0, 0, 64, 8);
-- negative: copied less, in few steps
INSERT INTO alloc_stacks VALUES (4, 2, 3, 'realloc', 3, 24, 3, 24, 1, 24, 1, 8, 8, 8, 5, 5, 0, 5, 5, 4, 4, NULL, NULL);
INSERT INTO alloc_chains VALUES (7, 1, 4, 4, 2, 1, 8, 8, 9);
