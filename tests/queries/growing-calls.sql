-- A third thread: loop calls four functions 240 times each by turns, and a document twelve times.
.read tests/fixtures/small.sql
INSERT INTO functions(id, module_id, address, size, name, file_id, line, instrumented, stable_id, scope, unit, call_targets) VALUES
  (11, 1, 0x2000, 64, 'loop', 1, 1, 1, 's11', 'global', 1, 4),
  (12, 1, 0x2100, 64, 'append', 1, 2, 1, 's12', 'global', 1, 0),   -- positive: the n-th call takes n * 1000 ns
  (13, 1, 0x2200, 64, 'scatter', 1, 3, 1, 's13', 'global', 1, 0),  -- negative: long and short calls at any time
  (14, 1, 0x2300, 64, 'phases', 1, 4, 1, 's14', 'global', 1, 0),   -- negative: twice as many are long, from the middle on
  (15, 1, 0x2400, 64, 'warms', 1, 5, 1, 's15', 'global', 1, 0),    -- negative: grows to less than 2.5 times the time
  (16, 1, 0x2500, 64, 'document', 1, 6, 1, 's16', 'global', 1, 1), -- negative: its calls take equally long
  (17, 1, 0x2600, 64, 'word', 1, 7, 1, 's17', 'global', 1, 0);     -- positive: within each document
INSERT INTO sites(id, module_id, address, function_id, file_id, line, indirect)
  SELECT id + 10, 1, id * 16, CASE id WHEN 17 THEN 16 ELSE 11 END, 1, id, 0 FROM functions WHERE id > 11;
CREATE TEMP TABLE made(id INTEGER PRIMARY KEY, function_id, parent_id, ns, descendants);
INSERT INTO made
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 240)
  SELECT 1000 + 4 * i + f - 12, f, 1000,
         CASE f WHEN 12 THEN 1000 * i WHEN 13 THEN 1000 + i * 7919 % 239 * 1000
                WHEN 14 THEN CASE WHEN i <= 120 THEN 20000 ELSE 90000 END ELSE 50000 + 300 * i END, 0
  FROM n CROSS JOIN (SELECT 12 AS f UNION SELECT 13 UNION SELECT 14 UNION SELECT 15);
INSERT INTO made
  WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1199)
  SELECT 2000 + i + i / 100 + 1, 17, 2000 + i / 100 * 101, 300 * (i % 100 + 1), 0 FROM n;
INSERT INTO made SELECT parent_id, 16, 1000, sum(ns), count(*) FROM made WHERE function_id = 17 GROUP BY parent_id;
INSERT INTO made SELECT 1000, 11, NULL, sum(ns), (SELECT max(id) FROM made) - 1000 FROM made WHERE parent_id = 1000;
INSERT INTO frames(id, parent_id, function_id, site_id, depth, calls, total_ns, self_ns, finished, raw_total_ns, raw_self_ns, child_calls)
  SELECT id, CASE id WHEN 11 THEN NULL WHEN 17 THEN 16 ELSE 11 END, id, CASE WHEN id > 11 THEN id + 10 END, 0, 1, 1, 1, 1, 1, 1, 0
  FROM functions WHERE id > 10;
INSERT INTO calls(id, thread_id, frame_id, depth, enter_ns, duration_ns, parent_distance, descendants, children_ns, ended)
  SELECT id, 3, function_id, 0,
         sum(CASE WHEN function_id IN (11, 16) THEN 0 ELSE ns END) OVER (ORDER BY id) - CASE WHEN function_id IN (11, 16) THEN 0 ELSE ns END,
         ns, id - parent_id, descendants, CASE WHEN function_id IN (11, 16) THEN ns ELSE 0 END, 0
  FROM made;
INSERT INTO threads(id, process_id, tid, name, start_ns, end_ns, first_call_id, last_call_id, calls, raw_self_ns, self_ns)
  SELECT 3, 1, 103, 'loop', 0, duration_ns, 1000, 1000 + descendants, 1 + descendants, duration_ns, duration_ns FROM calls WHERE id = 1000;
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished, child_calls, calling,
    single_child_calls, callees, callers, root_calls, unwound, open, depth_max, nesting_max, recursive_calls,
    direct_recursive_calls, sequences)
  SELECT function_id, count(*), sum(ns), CASE WHEN function_id IN (11, 16) THEN 0 ELSE sum(ns) END, sum(ns), 0, count(*), 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1
  FROM made GROUP BY function_id;
INSERT INTO edges(caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns)
  SELECT CASE function_id WHEN 17 THEN 16 ELSE 11 END, function_id + 10, function_id, count(*), sum(ns), sum(ns), sum(ns), sum(ns)
  FROM made WHERE function_id > 11 GROUP BY function_id;
INSERT INTO callee_runs(caller_id, callee_id, count, calls, caller_calls, longest, raw_total_ns) VALUES (16, 17, 12, 1200, 12, 100, 1);
-- edge: put aside for ten times as long as the run took, in an early call of append: its time on the processor counts
UPDATE calls SET enter_ns = enter_ns + 1000000000 WHERE id > 1040 AND thread_id = 3;
UPDATE calls SET duration_ns = duration_ns + 1000000000 WHERE id IN (1000, 1040);
UPDATE threads SET end_ns = end_ns + 1000000000 WHERE id = 3;
INSERT INTO gaps(id, thread_id, call_id, frame_id, start_ns, wall_ns, wait_ns, preempted_ns)
  SELECT 1, 3, id, frame_id, enter_ns, 1000000000, 0, 1000000000 FROM calls WHERE id = 1040;
-- append allocates eight bytes more each time
DELETE FROM allocs;
INSERT INTO allocs(id, call_id, frame_id, thread_id, kind, address, size, alloc_ns)
  SELECT row_number() OVER (ORDER BY id), id, frame_id, 3, 'malloc', 16 * id, 8 * ((id - 1000) / 4), enter_ns + 1
  FROM calls WHERE frame_id = 12;
