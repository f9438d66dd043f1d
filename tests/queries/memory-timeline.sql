-- positive: three steps of all threads
.read tests/fixtures/small.sql
INSERT INTO memory_steps VALUES (0, 0, 33333, 100, 1, 100, 1, 100, 0, 0), (1, 0, 66666, 4296, 3, 4296, 2, 4196, 0, 0),
  (2, 0, 100000, 100, 1, 4296, 0, 0, 2, 4196),
-- negative: a thread's own step
  (0, 1, 33333, 100, 1, 100, 1, 100, 0, 0);
-- edge: of the steps in which nothing happened the last one stands
INSERT INTO memory_steps VALUES (3, 0, 133333, 100, 1, 100, 0, 0, 0, 0), (4, 0, 166666, 100, 1, 100, 0, 0, 0, 0);
