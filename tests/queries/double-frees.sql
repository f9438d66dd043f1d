-- positive: parse's first block, freed by main and then by log_line
.read tests/fixtures/small.sql
INSERT INTO free_errors VALUES (1, 'double', 0x5000, 'free', 96000, 2, 11, 6, 7, 1),
-- negative: a free of an unknown address
  (2, 'unknown', 0x9000, 'free', 97000, 2, 11, 6, 7, NULL),
-- edge: outside any traced call
  (3, 'double', 0x6000, 'delete', 98000, 1, NULL, NULL, NULL, 3);
