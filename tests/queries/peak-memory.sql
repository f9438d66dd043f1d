-- positive: work's block and parse's two are live at the peak
.read tests/fixtures/small.sql
INSERT INTO run VALUES ('peak_ns', 61000);
-- edge: outside any traced call
INSERT INTO alloc_stacks VALUES (3, NULL, NULL, 'new', 4, 32, 4, 32, 1, 32, 1, 8, 8, 8, 5, 5, 0, 5, 5, 4, 4, NULL, NULL),
-- negative: not live at the peak
  (4, 6, 7, 'new', 4, 32, 4, 32, 1, 32, 0, 0, 8, 8, 5, 5, 0, 5, 5, 4, 4, NULL, NULL);
