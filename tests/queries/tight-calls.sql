-- positive: ns::next, invoked again after 256 to 511 ns most times
.read tests/fixtures/small.sql
INSERT INTO intervals VALUES (3, 8, 3), (3, 12, 1),
-- negative: parse, with long intervals
  (2, 15, 1),
-- positive: parse's calls of ns::next come five in two calls of parse
-- edge: worker's intervals are short, but no range has most of them
  (5, 3, 1), (5, 5, 1), (5, 7, 1);
-- Functions that main calls from a site of their own, a thousand times each.
CREATE TEMP TABLE more(id, name, size, scope, unit, inlined, call_targets, indirect, site, self_ns);
INSERT INTO more VALUES
  (11, 'in_a_row', 900, 'static', 1, 0, 1, 0, 11, 100), -- positive: from two sites, but in a row
  (12, 'once_a_call', 900, 'static', 1, 0, 1, 0, 12, 100), -- negatives, but for the next one's loop in main
  (13, 'two_callers', 900, 'global', 9, 0, 1, 0, 13, 100),
  (14, 'inlined', 90, 'static', 1, 0, 1, 0, 14, 100),
  (15, 'recursive', 900, 'global', 9, 0, 1, 0, 15, 100);
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
INSERT INTO intervals SELECT id, 5, 1000 FROM more;
INSERT INTO edges(caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns) VALUES
  (1, 3, 11, 900, 1, 1, 1, 1), (1, 3, 12, 900, 1, 1, 1, 1), (4, 6, 13, 900, 1, 1, 1, 1);
UPDATE function_stats SET calls = 1900 WHERE function_id IN (11, 12, 13);
UPDATE function_stats SET recursive_calls = 1 WHERE function_id = 15;
INSERT INTO callee_runs VALUES (1, 11, 100, 1900, 2, 30, 1, 1), (1, 12, 1900, 1900, 1900, 1, 1, 1), (2, 3, 2, 5, 2, 3, 1, 1),
  (1, 13, 1000, 1000, 10, 1, 1, 1), (4, 13, 900, 900, 900, 1, 1, 1), (1, 14, 10, 1000, 10, 1, 1, 1), (1, 15, 10, 1000, 10, 1, 1, 1);
-- parameters: min_calls=1 max_mode_ns=256 min_repeats=2.5 min_saved=0
