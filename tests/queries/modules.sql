-- positive: main.c calls parse.cc; within parse.cc there are calls too
.read tests/fixtures/small.sql
-- negative: calls without a caller are between no groups
-- edge: a call back from parse.cc to main.c
INSERT INTO edges(id, caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns,
    first_call_id, slowest_call_id) VALUES
  (7, 3, 5, 6, 2, 10, 10, 5, 5, 6, 6),
-- ns::next calls itself, which no inlining makes
  (8, 3, 7, 3, 1, 10, 10, 5, 5, 7, 7);
-- a header is its source file's, one without any stands alone
INSERT INTO files(id, path, name) VALUES (3, '/src/include/parse.h', 'parse.h'), (4, '/src/shop/util.h', 'util.h');
UPDATE functions SET file_id = 3 WHERE id = 3;
UPDATE functions SET file_id = 4 WHERE id = 6;
-- negative: a body that was inlined into worker: its hooks tell worker's own site
INSERT INTO edges(id, caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns,
    first_call_id, slowest_call_id) VALUES
  (9, 1, 1, 5, 1, 10, 10, 5, 5, 10, 10), (10, 5, 1, 2, 100, 10, 10, 5, 5, 11, 11);
