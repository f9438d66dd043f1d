-- positive: ns::next is called by parse alone; so is work by main, from one site, but once
.read tests/fixtures/small.sql
-- negative: log_line, which another function calls as well
UPDATE function_stats SET callers = 2 WHERE function_id = 6;
INSERT INTO edges(id, caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns,
    first_call_id, slowest_call_id) VALUES
  (7, 4, 6, 6, 1, 10, 10, 10, 10, 11, 11);
-- edge: parse is called by main from two sites, and work by main but also as a root
INSERT INTO edges(id, caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns,
    first_call_id, slowest_call_id) VALUES
  (8, 1, 3, 2, 1, 10, 10, 10, 10, 6, 6);
UPDATE function_stats SET root_calls = 1 WHERE function_id = 4;
-- parameters: min_calls=1
