-- negative: ns::next, called by parse alone, and parse, by main: they take long with callees
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
UPDATE function_stats SET self_ns = 750 WHERE function_id = 3;
UPDATE function_stats SET self_ns = 300 WHERE function_id = 2;
INSERT INTO edges(id, caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns,
    first_call_id, slowest_call_id) VALUES (9, NULL, 9, 1, 1, 10, 10, 10, 10, NULL, NULL);
-- Functions that main calls from a site of their own, a thousand times each.
CREATE TEMP TABLE more(id, name, size, scope, unit, inlined, call_targets, indirect, site, self_ns);
INSERT INTO more VALUES
  (11, 'elsewhere', 40, 'global', 9, 0, 1, 0, 11, 100), -- positive: small, but in another translation unit
  (12, 'large', 250, 'global', 1, 0, 1, 0, 12, 100),    -- positive: too large for the compiler
  (13, 'small', 249, 'global', 1, 0, 1, 0, 13, 100),    -- negatives from here on
  (14, 'own_file', 900, 'static', 1, 0, 1, 0, 14, 100),
  (15, 'header', 900, 'weak', 9, 0, 1, 0, 15, 100),
  (16, 'inlined_elsewhere', 900, 'global', 9, 1, 1, 0, 16, 100), -- positive: in its own unit only
  (17, 'inlined_here', 900, 'global', 9, 0, 1, 0, 9, 100), -- its site is that of main's own caller
  (18, 'by_pointer', 900, 'global', 9, 0, 1, 1, 18, 100),
  (19, 'not_decoded', 900, 'global', 9, 0, 1, NULL, 19, 100),
  (20, 'from_library', 900, 'global', 9, 0, 1, 0, 20, 100),
  (21, 'slow', 900, 'global', 9, 0, 1, 0, 21, 151000),
  (22, 'unknown', 900, NULL, NULL, 0, 1, 0, 22, 100),
  (23, 'slow_callee', 900, 'global', 9, 0, 1, 0, 23, 100),
  (24, 'accessor', 160, 'global', 9, 0, 0, 0, 24, 100),    -- positive: two call it
  (25, 'larger', 161, 'global', 9, 0, 0, 0, 25, 100),      -- negatives: two call each
  (26, 'calls', 60, 'global', 9, 0, 1, 0, 26, 100),
  (27, 'calls_by_pointer', 60, 'global', 9, 0, 0, 0, 27, 100),
  (28, 'declined', 300, 'global', 1, 0, 1, 0, 28, 100),    -- main's unit, and others call it
  (29, 'many_sites', 301, 'global', 9, 0, 1, 0, 29, 100);  -- a copy more than it may take
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
UPDATE sites SET module_id = 2 WHERE id = 20;
UPDATE function_stats SET total_ns = 151000 WHERE function_id = 23;
UPDATE function_stats SET callers = 2 WHERE function_id BETWEEN 24 AND 27;
UPDATE functions SET call_sources = 2 WHERE id = 28;
INSERT INTO edges(caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns)
  SELECT 4, 6, id, 500, 1, 1, 1, 1 FROM more WHERE id BETWEEN 24 AND 27 UNION ALL SELECT 27, 3, 13, 9, 1, 1, 1, 1 UNION ALL SELECT 1, 3, 29, 9, 1, 1, 1, 1;
-- negative: log_line, called ten times: a call costs next to nothing of the run
-- parameters: min_calls=2 min_share=0.2
