-- positive: log_line, whose longest wait is in call 11; parse waits once
.read tests/fixtures/small.sql
INSERT INTO gaps(id, thread_id, call_id, frame_id, start_ns, wall_ns, wait_ns, preempted_ns, waits, preemptions,
    minor_faults, major_faults) VALUES
  (1, 2, 11, 6, 31000, 6000, 5000, 0, 1, 0, 0, 0), (2, 2, 12, 6, 42000, 2000, 1500, 0, 1, 0, 0, 0),
  (3, 1, 2, 2, 12000, 50000, 40000, 0, 1, 0, 0, 0),
-- negative: put aside
  (4, 1, 1, 1, 2000, 9000, 0, 8000, 0, 1, 0, 0),
-- negative: what sleeps by its name
  (5, 1, 9, 4, 70000, 9000, 8000, 0, 1, 0, 0, 0),
-- edge: a wait too short to count
  (6, 2, 10, 5, 90000, 1500, 999, 0, 1, 0, 0, 0);
UPDATE functions SET name = 'sleep_until' WHERE id = 4;
UPDATE function_stats SET self_wait_ns = 1 WHERE function_id IN (2, 4, 5, 6);
