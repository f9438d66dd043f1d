-- positive: parse calls ns::next in each of its calls
.read tests/fixtures/small.sql
-- negative: main calls two functions
-- edge: a function that calls only itself has no callee to merge with
INSERT INTO functions(id, module_id, address, size, name, linkage_name, file_id, line, instrumented, stable_id)
  VALUES (8, 1, 0x1700, 8, 'self', NULL, 1, 80, 1, 's8');
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished,
    child_calls, calling, single_child_calls, callees, callers, root_calls,
    unwound, open, first_call_id, depth_max, nesting_max, recursive_calls, direct_recursive_calls, sequences)
  VALUES (8, 3, 9, 9, 9, 9, 3, 2, 3, 3, 1, 1, 0, 0, 0, 3, 2, 3, 2, 2, 1);
INSERT INTO edges(id, caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns,
    first_call_id, slowest_call_id) VALUES (7, 8, 1, 8, 3, 9, 9, 9, 9, 3, 3);
-- ns::next may be inlined into parse no more than others; negatives:
-- Functions that main calls from a site of their own, a thousand times each.
CREATE TEMP TABLE more(id, name, size, scope, unit, inlined, call_targets, indirect, site, self_ns);
INSERT INTO more VALUES
  (11, 'file_mate', 900, 'global', 9, 0, 1, 0, 11, 100), -- positive
  (12, 'branches', 900, 'global', 9, 0, 2, 0, 12, 100),  -- negatives from here on
  (13, 'shares', 900, 'global', 9, 0, 1, 0, 13, 100),
  (14, 'inlines', 900, 'global', 9, 0, 1, 0, 14, 100),
  (15, 'other_file', 900, 'global', 9, 0, 1, 0, 15, 100), (16, 'not_alone', 900, 'global', 9, 0, 1, 0, 16, 100),
  (21, 'for_file_mate', 900, 'global', 10, 0, 0, 0, 21, 100), (22, 'for_branches', 900, 'global', 10, 0, 0, 0, 22, 100),
  (23, 'for_shares', 900, 'global', 10, 0, 0, 0, 23, 100), (24, 'for_inlines', 90, 'static', 1, 0, 0, 0, 24, 100),
  (25, 'for_other_file', 900, 'global', 10, 0, 0, 0, 25, 100), (26, 'for_not_alone', 900, 'global', 10, 0, 0, 0, 26, 100);
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
UPDATE edges SET caller_id = callee_id - 10 WHERE callee_id BETWEEN 21 AND 26;
UPDATE sites SET function_id = id - 10 WHERE id BETWEEN 21 AND 26;
UPDATE function_stats SET callees = 0, calling = 0 WHERE function_id BETWEEN 21 AND 26;
UPDATE function_stats SET callers = 2 WHERE function_id = 23;
UPDATE functions SET file_id = 2 WHERE id = 25;
UPDATE functions SET call_sources = 2 WHERE id = 26; -- code that did not run calls it, too
