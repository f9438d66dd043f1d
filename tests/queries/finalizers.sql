-- positive: log_line, called once at 98 % of the run, by a call that took most of it
.read tests/fixtures/small.sql
UPDATE frames SET first_ns = 98000 WHERE id = 6;
-- negative: work, called once at 60 %
-- edge: parse, called before, too, but not from there, which ends exactly at the limit; nine tenths of it are ns::next
INSERT INTO frames(id, parent_id, function_id, site_id, depth, calls, total_ns, self_ns, finished, raw_total_ns, raw_self_ns, child_calls,
    first_ns, last_ns, slowest_call_id) VALUES
  (7, 5, 2, 4, 1, 1, 10000, 1000, 1, 10000, 1000, 1, 85000, 85000, 6), (8, 7, 3, 2, 2, 3, 9000, 9000, 3, 9000, 9000, 0, 85000, 86000, 7),
-- negatives: unused, which is next to nothing; what was called more often
  (9, 5, 7, 7, 1, 1, 100, 100, 1, 100, 100, 0, 99000, 99000, 6), (10, 5, 4, 6, 1, 2, 9000, 9000, 2, 9000, 9000, 0, 99000, 99500, 6);
-- freed within: by the callee of parse, too
UPDATE frames SET frees = 2 WHERE id = 8;
UPDATE frames SET frees = 3 WHERE id = 7;
