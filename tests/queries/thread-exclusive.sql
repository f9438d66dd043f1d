-- positive: each function of the small run was called by one thread
.read tests/fixtures/small.sql
-- negative: log_line, now also called by the first thread
INSERT INTO thread_functions VALUES (1, 6, 1, 10, 10, 10, 10, 9, 9);
-- edge: ns::next was called by two threads of one name, which by_name takes together
INSERT INTO threads VALUES (3, 1, 102, 'shop', 0, 100000, NULL, NULL, 1, 0, 0, 0);
INSERT INTO thread_functions VALUES (3, 3, 1, 10, 10, 10, 10, 9, 9);
-- parameters: by_name=1
