-- positive: parse is called by main from line 12
.read tests/fixtures/small.sql
-- negative: unused has no caller and no row
-- edge: main has no instrumented caller; a function called from two lines has a row for each
INSERT INTO edges(id, caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns,
    first_call_id, slowest_call_id) VALUES
  (7, 1, 3, 2, 1, 10, 10, 5, 5, 6, NULL);
UPDATE function_stats SET calls = 3 WHERE function_id = 2;
