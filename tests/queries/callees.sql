-- positive: main calls parse and work, parse calls ns::next
.read tests/fixtures/small.sql
-- negative: ns::next calls nobody
-- edge: a callee called from two lines has a row for each
INSERT INTO edges(id, caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns,
    first_call_id, slowest_call_id) VALUES
  (7, 1, 3, 2, 1, 10, 10, 5, 5, 6, NULL);
