-- positive: work, called by main, calls two functions; negative: main, which nobody called
.read tests/fixtures/small.sql
-- negative: parse calls one
-- edge: with exactly as many as asked for it counts
-- negative: worker, which calls two functions in all and one from each place it is called from
INSERT INTO frames(id, parent_id, function_id, site_id, depth, calls, total_ns, self_ns, min_ns, max_ns, mean_ns, m2,
    finished, fastest_call_id, slowest_call_id, raw_total_ns, raw_self_ns, child_calls, counted_calls, first_ns,
    last_ns, allocs, alloc_bytes, frees, free_bytes)
  SELECT 7, NULL, 5, 3, 0, 1, 1, 1, 1, 1, 1.0, 0, 1, 10, 10, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0;
INSERT INTO frames(id, parent_id, function_id, site_id, depth, calls, total_ns, self_ns, min_ns, max_ns, mean_ns, m2,
    finished, fastest_call_id, slowest_call_id, raw_total_ns, raw_self_ns, child_calls, counted_calls, first_ns,
    last_ns, allocs, alloc_bytes, frees, free_bytes)
  SELECT 8, 7, 4, 4, 1, 1, 1, 1, 1, 1, 1.0, 0, 1, 10, 10, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0;
UPDATE function_stats SET callees = 2 WHERE function_id = 5;
UPDATE function_stats SET callees = 4 WHERE function_id = 4;
UPDATE function_stats SET callees = 3, callers = 1 WHERE function_id IN (5, 6);
INSERT INTO frames(id, parent_id, function_id, site_id, depth, calls, total_ns, self_ns, finished, raw_total_ns, raw_self_ns, child_calls) VALUES
  (11, 4, 2, 5, 2, 1, 1, 1, 1, 1, 1, 0), (12, 4, 6, 6, 2, 1, 1, 1, 1, 1, 1, 0), (13, 4, 7, 6, 2, 1, 1, 1, 1, 1, 1, 0),
-- edge: a call through a pointer is one callee, whomever it reached; an accessor is none
  (14, 4, 3, 1, 2, 1, 1, 1, 1, 1, 1, 0),
-- negative: log_line, which calls one function and an accessor
  (15, 6, 3, 1, 2, 1, 1, 1, 1, 1, 1, 0), (16, 6, 2, 5, 2, 1, 1, 1, 1, 1, 1, 0);
UPDATE functions SET size = 129, call_targets = 0 WHERE id = 3;
UPDATE sites SET indirect = 1 WHERE id = 6;
-- parameters: min_callees=2
.read tests/fixtures/context_edges.sql
