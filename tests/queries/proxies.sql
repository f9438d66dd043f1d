-- negative: worker makes one call, of log_line, but it takes long
.read tests/fixtures/small.sql
-- negative: parse calls one function too, but several times
-- edge: a function that calls itself once is recursive, not a proxy
INSERT INTO functions(id, module_id, address, size, name, linkage_name, file_id, line, instrumented, stable_id)
  VALUES (8, 1, 0x1700, 8, 'self', NULL, 1, 80, 1, 's8');
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished,
    min_ns, max_ns, mean_ns, m2, child_calls, calling, single_child_calls, callees, callers, root_calls,
    unwound, open, first_call_id, depth_max, nesting_max, recursive_calls, direct_recursive_calls, sequences)
  VALUES (8, 3, 9, 9, 9, 9, 3, 3, 3, 3.0, 0, 3, 3, 3, 1, 1, 0, 0, 0, 3, 2, 3, 2, 2, 1);
INSERT INTO edges(id, caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns,
    first_call_id, slowest_call_id) VALUES (7, 8, 1, 8, 3, 9, 9, 9, 9, 3, 3);
-- edge: a site that is not known
INSERT INTO edges(id, caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns,
    first_call_id, slowest_call_id) VALUES (8, 1, 3, 5, 1, 10, 10, 10, 10, 10, 10);
UPDATE function_stats SET root_calls = 0 WHERE function_id = 5;
-- Functions that main calls from a site of their own, a thousand times each.
CREATE TEMP TABLE more(id, name, size, scope, unit, inlined, call_targets, indirect, site, self_ns);
INSERT INTO more VALUES
  (11, 'passes_on', 110, 'global', 9, 0, 1, 0, 11, 30000),  -- positive: at the limits of size and time
  (12, 'larger', 111, 'global', 9, 0, 1, 0, 12, 100),       -- negatives from here on
  (13, 'slower', 60, 'global', 9, 0, 1, 0, 13, 30001),
  (14, 'branches', 60, 'global', 9, 0, 2, 0, 14, 100),     -- its code calls another function, too
  (15, 'by_pointer', 60, 'global', 9, 0, 0, 0, 15, 100),
  (16, 'own_file', 60, 'static', 1, 0, 1, 0, 16, 100),
  (17, 'to_inlined', 60, 'global', 9, 0, 1, 0, 17, 100);
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
INSERT INTO sites(id, module_id, address, function_id, file_id, line, indirect)
  SELECT id + 100, 1, id, id, 1, 90, 0 FROM more;
INSERT INTO edges(caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns)
  SELECT id, CASE id WHEN 17 THEN 17 ELSE id + 100 END, 6, 1000, 10, 10, 10, 10 FROM more;
-- parameters: min_calls=1
