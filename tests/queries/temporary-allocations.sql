-- positive: parse's blocks, freed after no or one other
.read tests/fixtures/small.sql
INSERT INTO alloc_distances VALUES (1, 0, 1, 100), (1, 1, 1, 100),
-- positive: work's block, freed after five others, where no two were live at once
  (2, 5, 1, 4096);
-- negative, edge: outside any traced call, two live at once
INSERT INTO alloc_stacks VALUES (3, NULL, NULL, 'new', 4, 32, 4, 32, 2, 32, 0, 0, 8, 8, 5, 5, 0, 5, 5, 4, 4, NULL, NULL);
INSERT INTO alloc_distances VALUES (3, 1, 2, 16), (3, 2, 2, 16);
-- negatives: a growing block, replaced where it was made, and what a library allocated for itself
INSERT INTO alloc_stacks VALUES
  (4, 4, 6, 'realloc', 8, 64, 8, 64, 1, 8, 0, 0, 8, 8, 5, 5, 0, 5, 5, 4, 4, NULL, NULL),
  (5, 4, 3, 'malloc', 8, 64, 8, 64, 1, 8, 0, 0, 8, 8, 5, 5, 0, 5, 5, 4, 4, NULL, NULL),
-- edges: grown, but freed elsewhere; a container's block, allocated in its library
  (6, 4, 7, 'realloc', 8, 64, 8, 64, 1, 8, 0, 0, 8, 8, 5, 5, 0, 5, 5, 4, 4, NULL, NULL),
  (7, 4, 3, 'new', 7, 64, 7, 64, 1, 8, 0, 0, 8, 8, 5, 5, 0, 5, 5, 4, 4, NULL, NULL),
  (8, 4, 7, 'malloc', 7, 64, 7, 64, 1, 8, 0, 0, 8, 8, 5, 5, 0, 5, 5, 4, 4, NULL, NULL);
INSERT INTO alloc_distances VALUES (4, 1, 8, 64), (5, 1, 8, 64), (6, 1, 8, 64), (7, 1, 7, 56),
-- negative: less than a quarter of them
  (8, 1, 1, 8);
INSERT INTO block_flows VALUES (4, 4, 4, 6, 1, 1, 8, 64, 1, 1, 0, 3, NULL), (6, 6, 4, 1, 1, 1, 8, 64, 1, 1, 0, 3, NULL);
UPDATE sites SET module_id = 2 WHERE id = 3;
-- positive: what xmalloc and xfree do counts for list and tree; edge: where it was inlined, only its caller is known
.read tests/fixtures/wrappers.sql
INSERT INTO alloc_distances VALUES (31, 1, 10, 240);
-- parameters: min_blocks=1 min_saved=0
