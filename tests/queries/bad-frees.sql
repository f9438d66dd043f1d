-- positive: log_line frees 16 bytes into parse's second block, and an unknown address
.read tests/fixtures/small.sql
INSERT INTO free_errors VALUES (1, 'inside', 0x5110, 'free', 96000, 2, 11, 6, 7, 2),
  (2, 'unknown', 0x9000, 'delete', 97000, 2, 11, 6, 7, NULL),
-- negative: a double free
  (3, 'double', 0x5000, 'free', 98000, 2, 11, 6, 7, 1),
-- edge: outside any traced call
  (4, 'unknown', 0x9100, 'free', 99000, 1, NULL, NULL, NULL, NULL);
