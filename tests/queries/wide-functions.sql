-- positive: main calls two functions
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
-- parameters: min_callees=2
