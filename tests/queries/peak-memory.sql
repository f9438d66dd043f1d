-- positive: work's block and parse's two are live at the peak
.read tests/fixtures/small.sql
INSERT INTO run VALUES ('peak_ns', 61000);
-- edge: outside any traced call
INSERT INTO alloc_stacks VALUES (3, NULL, NULL, 'new', 4, 32, 4, 32, 1, 32, 1, 8, 8, 8, 5, 5, 0, 5, 5, 4, 4, NULL, NULL),
-- negative: not live at the peak
  (4, 6, 7, 'new', 4, 32, 4, 32, 1, 32, 0, 0, 8, 8, 5, 5, 0, 5, 5, 4, 4, NULL, NULL);
-- positive: what xmalloc and xfree do counts for list and tree; edge: where it was inlined, only its caller is known
.read tests/fixtures/wrappers.sql
UPDATE alloc_stacks SET peak_blocks = 5, peak_bytes = 120 WHERE id = 31;
