-- positive: parse calls ns::next three times in a row
.read tests/fixtures/small.sql
INSERT INTO callee_runs VALUES (2, 3, 2, 5, 2, 3, 2, 20000),
-- negative: main calls work once
  (1, 4, 1, 1, 1, 1, 1, 40000),
-- edge: a callee run exactly as long as asked for
  (5, 6, 1, 2, 1, 2, NULL, 50000);
-- Functions that main calls from a site of their own, a thousand times each.
CREATE TEMP TABLE more(id, name, size, scope, unit, inlined, call_targets, indirect, site, self_ns);
INSERT INTO more VALUES
  (11, 'too_short', 900, 'global', 9, 0, 1, 0, 11, 100), -- negatives: runs of 1.5 calls on average
  (12, 'small', 90, 'static', 1, 0, 1, 0, 12, 100),
  (13, 'part_of_main', 900, 'global', 9, 0, 1, 0, 13, 1000), -- positive: main lasts as long as its thread, the loop does not
  (16, 'main_loop', 900, 'global', 9, 0, 1, 0, 16, 90000), -- negative: the loop does, as well, and this is no small step
  (17, 'main_items', 900, 'global', 9, 0, 1, 0, 17, 90000), -- positive: a small step
  (18, 'next_to_nothing', 900, 'global', 9, 0, 1, 0, 18, 100), -- negative
  (14, 'recursive', 900, 'global', 9, 0, 1, 0, 14, 100),
  (15, 'quick', 900, 'global', 9, 0, 1, 0, 15, 100);
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
UPDATE edges SET caller_id = 2 WHERE callee_id IN (11, 12, 14, 15);
UPDATE function_stats SET recursive_calls = 1 WHERE function_id = 14;
UPDATE edges SET total_ns = 9 WHERE callee_id = 15; -- most of its time was put aside
INSERT INTO callee_runs VALUES (2, 11, 10, 15, 2, 3, 2, 20000), (2, 12, 2, 5, 2, 3, 2, 20000),
  (1, 13, 2, 5, 2, 3, 1, 20000), (1, 16, 2, 8, 1, 5, 1, 90000), (1, 18, 2, 8, 1, 5, 1, 90000), (1, 17, 2, 9, 1, 5, 1, 90000),
  (2, 14, 2, 5, 2, 3, 2, 20000), (2, 15, 2, 5, 2, 3, 2, 9000);
-- parameters: min_longest=2 min_mean=2 min_total_ns=10 min_share=0.05
