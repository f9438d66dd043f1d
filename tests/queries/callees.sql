-- positive: main calls parse and work, parse calls ns::next: the dearest first, whoever calls
.read tests/fixtures/small.sql
-- negative: ns::next calls nobody
-- edge: a callee called from two lines has a row for each; from one line in two copies of the code, one
INSERT INTO sites(id, module_id, address, function_id, file_id, line) VALUES (8, 1, 0x1018, 1, 1, 12);
INSERT INTO edges(id, caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns,
    first_call_id, slowest_call_id) VALUES
  (7, 1, 3, 2, 1, 10, 10, 5, 5, 6, NULL), (8, 1, 8, 2, 3, 6000, 6000, 3000, 3000, 7, 6),
-- edge: a body that was inlined into parse: its hooks tell the line where parse was called
  (9, 2, 1, 4, 1, 700, 700, 700, 700, 9, 9),
-- edge: ns::next calls itself: no time of outermost activations
  (10, 3, 5, 3, 4, 0, 0, 400, 400, 4, 4);
UPDATE function_stats SET recursive_calls = 4 WHERE function_id = 3;
INSERT INTO slow_calls(function_id, rank, call_id, duration_ns, raw_duration_ns) VALUES (2, 1, 6, 2500, 2500);
