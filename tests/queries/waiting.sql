-- positive: parse waited longest, work twice; outside any call, too
.read tests/fixtures/small.sql
INSERT INTO gaps(id, thread_id, call_id, frame_id, start_ns, wall_ns, wait_ns, preempted_ns, waits, preemptions,
    minor_faults, major_faults) VALUES
  (1, 1, 2, 2, 12000, 50000, 40000, 0, 1, 0, 0, 0),
  (2, 1, 9, 4, 70000, 9000, 8000, 0, 1, 0, 0, 0), (3, 2, 9, 4, 80000, 19000, 18000, 0, 2, 1, 0, 0),
  (4, 1, NULL, NULL, 5000, 3000, 2000, 0, 1, 0, 0, 0),
-- negative: put aside, never waiting
  (5, 2, 10, 5, 20000, 9000, 0, 8000, 0, 1, 0, 0),
-- but that counts beside a wait
  (6, 1, 9, 4, 90000, 6000, 0, 5000, 0, 1, 0, 0),
-- negative: too short to be shown
  (7, 2, 11, 6, 40000, 1500, 999, 0, 1, 0, 0, 0);
