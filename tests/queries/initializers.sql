-- positive: work, called once before parse, which main calls a hundred times; it may take more than that
.read tests/fixtures/small.sql
UPDATE frames SET calls = 100, first_ns = 10000, last_ns = 50000 WHERE id = 2;
UPDATE frames SET first_ns = 2000, last_ns = 2000 WHERE id = 4;
-- positive: a function that the compiler made, before main; edge: time put aside is none of the program's
UPDATE frames SET first_ns = 100, last_ns = 100 WHERE id = 1;
INSERT INTO functions(id, module_id, address, size, name, file_id, line, instrumented, stable_id)
  VALUES (8, 1, 0x1700, 8, '_GLOBAL__sub_I_shop_count', 1, 80, 1, 's8');
INSERT INTO frames(id, parent_id, function_id, site_id, depth, calls, total_ns, self_ns, finished, raw_total_ns, raw_self_ns, child_calls,
    first_ns, last_ns, slowest_call_id) VALUES
  (7, NULL, 8, NULL, 0, 1, 3000, 3000, 1, 3000, 3000, 0, 0, 0, 1),
  (8, NULL, 7, NULL, 0, 1, 9000, 9000, 1, 9000, 9000, 0, 10, 10, 1),
-- negatives: what work called lies within its row; log_line, called before and after, is neither; ns::next, often
  (9, 4, 3, 2, 2, 1, 500, 500, 1, 500, 500, 0, 2500, 2500, 7),
  (10, 1, 6, 4, 1, 1, 700, 700, 1, 700, 700, 0, 3000, 3000, 7), (11, 1, 6, 4, 1, 1, 700, 700, 1, 700, 700, 0, 60000, 60000, 7),
  (12, 1, 3, 4, 1, 4, 700, 700, 1, 700, 700, 0, 4000, 5000, 7);
UPDATE frames SET preempted_ns = 8900, self_preempted_ns = 8900 WHERE id = 8;
