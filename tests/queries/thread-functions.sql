-- positive: who called what
.read tests/fixtures/small.sql
-- negative: a function that the thread called less often than asked for
-- edge: a function of two threads
INSERT INTO thread_functions VALUES (2, 3, 2, 10, 10, 10, 10, 12, 13);
-- parameters: min_calls=2
