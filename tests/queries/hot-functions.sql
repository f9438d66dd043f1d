-- The small run: by self time, worker first; the equal self times of main and log_line go by id.
.read tests/fixtures/small.sql
-- edge: no self time at all
INSERT INTO functions(id, module_id, address, size, name, linkage_name, file_id, line, instrumented, stable_id)
  VALUES (8, 1, 0x1700, 8, 'empty', NULL, NULL, NULL, 1, 's8');
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished,
    min_ns, max_ns, mean_ns, m2, child_calls, calling, single_child_calls, callees, callers, root_calls,
    unwound, open, first_call_id, depth_max, nesting_max, recursive_calls, direct_recursive_calls, sequences)
  VALUES (8, 3, 0, 0, 0, 0, 3, 0, 0, 0.0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 3, 2, 1, 0, 0, 1);
-- known: the middle and the slow calls of one
UPDATE function_stats SET median_ns = 24000, p99_ns = 26000
  WHERE function_id = (SELECT id FROM functions WHERE name = 'parse');
-- exact: what the hooks of the calls within cost, from call 5 on twice as much; call 8 waits for some of its time
INSERT INTO hook_costs VALUES (1, 1, 4, 100000, 50000), (1, 5, 9, 200000, 100000), (2, 10, 11, 0, 0);
INSERT INTO gaps VALUES (1, 1, 8, 3, 51000, 3500, 2500, 500, 1, 0, 0, 0, 0);
-- negative: too few calls
-- parameters: min_calls=2 exact=1
