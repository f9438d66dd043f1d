-- positive: parse calls ns::next, which calls parse
.read tests/fixtures/small.sql
INSERT INTO edges(id, caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns,
    first_call_id, slowest_call_id) VALUES
  (7, 3, 5, 2, 2, 10, 10, 5, 5, 6, 6),
-- edge: work calls itself: plain recursion
  (8, 4, 6, 4, 3, 9, 9, 9, 9, 9, 9);
-- negative: main calls work, which does not call back
