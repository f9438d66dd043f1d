-- positive: all calls of ns::next came by main and parse
.read tests/fixtures/small.sql
-- negative: a second path to log_line with as many calls: no path longer than itself has more than half
INSERT INTO functions(id, module_id, address, size, name, linkage_name, file_id, line, instrumented, stable_id)
  VALUES (8, 1, 0x1700, 8, 'other', NULL, 1, 80, 1, 's8');
INSERT INTO frames(id, parent_id, function_id, site_id, depth, calls, total_ns, self_ns, finished, raw_total_ns, raw_self_ns, child_calls)
  VALUES (7, NULL, 8, NULL, 0, 1, 5, 1, 1, 5, 1, 2), (8, 7, 6, 4, 1, 2, 4, 4, 2, 4, 4, 0);
UPDATE function_stats SET calls = 3 WHERE function_id = 6;
-- edge: main has no caller: its path is itself
-- parameters: min_share=70
