-- positive: parse waited longest, work twice; outside any call, too, which comes behind
.read tests/fixtures/small.sql
INSERT INTO gaps(id, thread_id, call_id, frame_id, start_ns, wall_ns, wait_ns, preempted_ns, waits, preemptions,
    minor_faults, major_faults) VALUES
  (1, 1, 2, 2, 12000, 50000, 40000, 0, 1, 0, 0, 0),
  (2, 1, 9, 4, 70000, 9000, 8000, 0, 1, 0, 0, 0), (3, 2, 9, 4, 80000, 19000, 18000, 0, 2, 1, 0, 0),
  (4, 1, NULL, NULL, 5000, 3000, 2000, 0, 1, 0, 0, 0),
-- negative: the outermost function of a thread comes last, however long it waited for work
  (8, 2, 10, 5, 22000, 900000, 800000, 0, 1, 0, 0, 0),
-- negative: put aside, never waiting
  (5, 2, 11, 6, 20000, 9000, 0, 8000, 0, 1, 0, 0),
-- but that counts beside a wait
  (6, 1, 9, 4, 90000, 6000, 0, 5000, 0, 1, 0, 0),
-- edge: pages were read, which was all that ns::next waited for
  (9, 1, 3, 3, 3000, 4500, 4000, 0, 1, 0, 0, 1),
-- negative: too short to be shown
  (7, 2, 1, 1, 40000, 1500, 999, 0, 1, 0, 0, 0);
