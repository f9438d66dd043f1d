-- positive: log_line, called once after parse, which main calls a hundred times
.read tests/fixtures/small.sql
UPDATE frames SET calls = 100, first_ns = 10000, last_ns = 50000 WHERE id = 2;
-- negative: work, called then, too: it takes more than a fifth of main's time, and may be what main is for
-- positive: what takes as long, and only frees; freed within, by its callee, too
INSERT INTO frames(id, parent_id, function_id, site_id, depth, calls, total_ns, self_ns, finished, raw_total_ns, raw_self_ns, child_calls,
    first_ns, last_ns, slowest_call_id, frees) VALUES
  (7, 1, 7, 4, 1, 1, 40000, 2000, 1, 40000, 2000, 1, 65000, 65000, 6, 3), (8, 7, 3, 2, 2, 3, 38000, 38000, 3, 38000, 38000, 0, 65100, 66000, 7, 2),
  (9, 1, 6, 4, 1, 1, 10000, 10000, 1, 10000, 10000, 0, 98000, 98000, 6, 0),
-- negatives: parse once more, which is the work; ns::next, next to nothing
  (10, 1, 2, 4, 1, 1, 7000, 7000, 1, 7000, 7000, 0, 99000, 99000, 6, 0), (11, 1, 3, 4, 1, 1, 100, 100, 1, 100, 100, 0, 99500, 99500, 6, 0);
