-- positive: parse, one of whose calls left 100 bytes
.read tests/fixtures/small.sql
UPDATE function_stats SET leaking_calls = 1, leaked_bytes = 100, worst_leak_bytes = 100, worst_leak_call_id = 6 WHERE function_id = 2;
-- negative: ns::next, which allocates nothing
-- negative: work, whose block another thread freed, and main, the first function
UPDATE function_stats SET leaking_calls = 1, leaked_bytes = 2, worst_leak_bytes = 2, worst_leak_call_id = 9 WHERE function_id = 4;
UPDATE function_stats SET leaking_calls = 1, leaked_bytes = 1, worst_leak_bytes = 1, worst_leak_call_id = 1 WHERE function_id = 1;
-- negative: make, a constructor: all its calls left memory
-- through: what make left was made for keep, which freed it in other calls; passed only passed it on
-- Functions that main calls from a site of their own, a thousand times each.
CREATE TEMP TABLE more(id, name, size, scope, unit, inlined, call_targets, indirect, site, self_ns);
INSERT INTO more VALUES
  (11, 'passed', 900, 'global', 9, 0, 1, 0, 11, 100), (12, 'keep', 900, 'global', 9, 0, 1, 0, 12, 100),
  (13, 'make', 900, 'global', 9, 0, 1, 0, 13, 100), (14, 'little', 900, 'global', 9, 0, 1, 0, 14, 100),
  (15, 'passed_rarely', 900, 'global', 9, 0, 1, 0, 15, 100), (16, 'make_to_keep', 900, 'global', 9, 0, 1, 0, 16, 100);
INSERT INTO functions(id, module_id, address, size, name, linkage_name, file_id, line, instrumented, stable_id,
    scope, unit, inlined, call_targets)
  SELECT id, 1, id * 256, size, name, NULL, 1, id, 1, 's' || id, scope, unit, inlined, call_targets FROM more;
INSERT OR IGNORE INTO sites(id, module_id, address, function_id, file_id, line, indirect)
  SELECT site, 1, site * 16, 1, 1, site, indirect FROM more;
INSERT INTO edges(caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns)
  SELECT 1, site, id, 1000, self_ns, self_ns, self_ns, self_ns FROM more;
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished,
    child_calls, calling, single_child_calls, callees, callers, root_calls,
    unwound, open, first_call_id, depth_max, nesting_max, recursive_calls, direct_recursive_calls, sequences)
  SELECT id, 1000, self_ns, self_ns, self_ns, self_ns, 1000, 1000, 1000, 1000, 1, 1, 0, 0, 0, 2, 1, 1, 0, 0, 1 FROM more;
INSERT INTO frames(id, parent_id, function_id, site_id, depth, calls, total_ns, self_ns, min_ns, max_ns, mean_ns, m2,
    finished, fastest_call_id, slowest_call_id, raw_total_ns, raw_self_ns, child_calls, counted_calls, first_ns,
    last_ns, allocs, alloc_bytes, frees, free_bytes)
  SELECT 10 + n, CASE WHEN n IN (1, 4, 5) THEN 1 ELSE 9 + n END, 10 + n, 10 + n, n, 1000, 1, 1, 1, 1, 1.0,
    0, 1000, 2, 2, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0
  FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6);
INSERT INTO alloc_stacks VALUES
  (3, 13, 13, 'malloc', 1000, 8000, 995, 7960, 9, 72, 0, 0, 8, 8, 5, 5, 0, 5, 5, 4, 4, 4, 4),
  (4, 14, 14, 'malloc', 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, NULL, 0, 5, 5, 4, 4, 4, 4); -- less than asked for
UPDATE function_stats SET leaking_calls = CASE function_id WHEN 13 THEN 1000 WHEN 16 THEN 995 ELSE 5 END, leaked_bytes = 40,
  worst_leak_bytes = 8, worst_leak_call_id = 2 WHERE function_id BETWEEN 11 AND 16;
-- negative: passed_rarely, as next to nothing of what make_to_keep makes is ever freed
INSERT INTO alloc_stacks VALUES (6, 16, 16, 'malloc', 1000, 8000, 5, 40, 995, 7960, 0, 0, 8, 8, 5, 5, 0, 5, 5, 4, 4, 4, 4);
-- negative: the single block that a library made for itself
INSERT INTO alloc_stacks VALUES (5, 4, 3, 'malloc', 1, 4096, 0, 0, 1, 1, 0, 0, 1, 1, 0, NULL, 0, 5, 5, 4, 4, 4, 4);
UPDATE sites SET module_id = 2 WHERE id = 3;
-- parameters: min_bytes=2 min_blocks=0
