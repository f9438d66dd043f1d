-- parameters: all=1
.read tests/fixtures/small.sql
INSERT INTO run VALUES ('command', 'shop --now'), ('peak_bytes', 1000000);
-- positive: an error
INSERT INTO free_errors(error, address, kind, ns, thread_id, frame_id, site_id, alloc_id)
  VALUES ('double', 0x5000, 'free', 96000, 1, 4, 3, 1);
-- positive: parse's blocks are replaced by larger ones, step by step; its calls take up to 30 of 170 us
INSERT INTO alloc_stacks VALUES
  (3, 2, 5, 'malloc', 100, 505000, 100, 505000, 2, 19900, 1, 10000, 100, 10000, 0, 0, 0, 1500, 41000, 1, 2, NULL, NULL),
-- negative: log_line's have few sizes, as those of a container that doubles
  (4, 6, 7, 'malloc', 100, 505000, 100, 505000, 2, 19900, 1, 10000, 100, 10000, 0, 0, 0, 1500, 41000, 1, 2, NULL, NULL),
-- positive: work loses 1000 of its 1200 blocks, to the end
  (5, 4, 6, 'malloc', 1200, 12000, 200, 2000, 1000, 10000, 1000, 10000, 10, 10, 0, 0, 0, 1000, 15000000, 1, 2, NULL, NULL),
-- edge: main loses as many at once, at the beginning
  (6, 1, 1, 'malloc', 1200, 12000, 200, 2000, 1000, 10000, 1000, 10000, 10, 10, 0, 0, 0, 1000, 2000, 1, 2, NULL, NULL);
INSERT INTO alloc_distances VALUES (3, 1, 100, 505000), (4, 1, 100, 505000);
INSERT INTO block_flows VALUES (3, 3, 2, 5, 1, 1, 100, 505000, 0, 0, 0, 1, NULL), (4, 4, 6, 7, 1, 1, 100, 505000, 0, 0, 0, 1, NULL);
WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 64)
INSERT INTO alloc_sizes SELECT 3, 100 * i, 1 FROM n UNION ALL SELECT 4, 100 << i, 12 FROM n WHERE i < 7;
-- positive: two threads wait in log_line for more than a twentieth of their lives
UPDATE threads SET start_ns = 0, end_ns = 20000000, self_wait_ns = 5000000 WHERE id <= 2;
INSERT INTO gaps(id, thread_id, call_id, frame_id, start_ns, wall_ns, wait_ns, preempted_ns, waits, preemptions) VALUES
  (1, 1, 11, 6, 100000, 5000000, 5000000, 0, 1, 0), (2, 2, 11, 6, 5200000, 5000000, 5000000, 0, 1, 0),
-- negative: that may have been put aside
  (3, 2, 11, 6, 10300000, 5000000, 5000000, 0, 1, 1),
-- negative: parse waits for less
  (4, 1, 2, 2, 6000000, 1200, 1200, 0, 1, 0), (5, 2, 2, 2, 6000000, 1200, 1200, 0, 1, 0),
-- negatives: main and worker wait as outermost functions, and main for worker's end
  (6, 1, 1, 1, 9000000, 5000000, 5000000, 0, 1, 0), (7, 2, 10, 5, 9000000, 5000000, 5000000, 0, 1, 0),
  (8, 1, 9, 4, 9000000, 11000000, 11000000, 0, 1, 0);
