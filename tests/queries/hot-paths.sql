-- positive: all time of ns::next came by main and parse
.read tests/fixtures/small.sql
-- negative: a second path to log_line takes as much time: no path longer than itself has more than half
INSERT INTO functions(id, module_id, address, size, name, linkage_name, file_id, line, instrumented, stable_id)
  VALUES (8, 1, 0x1700, 8, 'other', NULL, 1, 80, 1, 's8');
INSERT INTO frames(id, parent_id, function_id, site_id, depth, calls, total_ns, self_ns, finished, raw_total_ns, raw_self_ns, child_calls)
  VALUES (7, NULL, 8, NULL, 0, 1, 5, 1, 1, 5, 1, 2), (8, 7, 6, 4, 1, 2, 10000, 10000, 2, 10000, 10000, 0),
-- positive: one call of parse by worker took most of its time
         (9, 5, 2, NULL, 1, 1, 300000, 300000, 1, 300000, 300000, 0),
-- edge: work calls itself from two places, which is one step of the path
         (10, 4, 4, 3, 2, 1, 10, 10, 1, 10, 10, 0), (11, 10, 4, 6, 3, 1, 10, 10, 1, 10, 10, 0),
-- edge: idle took no time: its calls tell
         (12, 1, 9, 3, 1, 3, 0, 0, 3, 0, 0, 0), (13, 5, 9, 4, 1, 1, 0, 0, 1, 0, 0, 0);
INSERT INTO functions(id, module_id, address, size, name, linkage_name, file_id, line, instrumented, stable_id)
  VALUES (9, 1, 0x1800, 8, 'idle', NULL, 1, 90, 1, 's9');
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished, child_calls, calling,
    single_child_calls, callees, callers, root_calls, unwound, open, depth_max, nesting_max, recursive_calls,
    direct_recursive_calls, sequences) VALUES (9, 4, 0, 0, 0, 0, 4, 0, 0, 0, 0, 2, 0, 0, 0, 1, 1, 0, 0, 1);
UPDATE function_stats SET calls = 3 WHERE function_id = 6;
-- negative: main has no caller: its path would be itself
-- parameters: min_share=70
