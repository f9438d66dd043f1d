-- positive: main.c calls parse.cc; within parse.cc there are calls too
.read tests/fixtures/small.sql
-- negative: calls without a caller are between no groups
-- edge: a call back from parse.cc to main.c
INSERT INTO edges(id, caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns,
    first_call_id, slowest_call_id) VALUES
  (7, 3, 5, 6, 2, 10, 10, 5, 5, 6, 6);
