-- positive: work, called once at 2 % of the run by main, which is the run
.read tests/fixtures/small.sql
UPDATE frames SET first_ns = 2000 WHERE id = 4;
-- negative: parse, called twice; log_line, called once at 70 %; what work called lies within its row
-- edge: a function that the compiler made; time put aside is none of the program's
INSERT INTO functions(id, module_id, address, size, name, file_id, line, instrumented, stable_id)
  VALUES (8, 1, 0x1700, 8, '_GLOBAL__sub_I_shop_count', 1, 80, 1, 's8');
INSERT INTO frames(id, parent_id, function_id, site_id, depth, calls, total_ns, self_ns, finished, raw_total_ns, raw_self_ns, child_calls,
    first_ns, last_ns, slowest_call_id) VALUES
  (7, NULL, 8, NULL, 0, 1, 3000, 3000, 1, 3000, 3000, 0, 0, 0, 1), (8, 4, 3, 2, 2, 1, 500, 500, 1, 500, 500, 0, 2500, 2500, 7),
  (9, NULL, 7, NULL, 0, 1, 9000, 9000, 1, 9000, 9000, 0, 10, 10, 1);
UPDATE frames SET preempted_ns = 8900, self_preempted_ns = 8900 WHERE id = 9;
