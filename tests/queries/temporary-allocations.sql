-- positive: parse's blocks, freed after no or one other
.read tests/fixtures/small.sql
INSERT INTO alloc_distances VALUES (1, 0, 1, 100), (1, 1, 1, 100),
-- negative: work's block, freed after five others
  (2, 5, 1, 4096);
-- edge: outside any traced call
INSERT INTO alloc_stacks VALUES (3, NULL, NULL, 'new', 4, 32, 4, 32, 1, 32, 0, 0, 8, 8, 5, 5, 0, 5, 5, 4, 4, NULL, NULL);
INSERT INTO alloc_distances VALUES (3, 1, 1, 8), (3, 2, 3, 24);
-- parameters: min_blocks=1
