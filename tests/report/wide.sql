-- A run made by hand that is wider than a report's budgets: 20,000 functions with long names, 60,000
-- contexts, 100,000 edges, 30,000 stacks that allocate, 300 threads, 600,000 calls. The figures are
-- of the right kind; they need not add up. Load it after schema.sql.
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
BEGIN;
CREATE TEMP TABLE numbers AS
  WITH RECURSIVE count(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < 600000) SELECT n FROM count;
CREATE TEMP TABLE few AS SELECT n FROM numbers WHERE n <= 30;
INSERT INTO run VALUES ('command', 'wide --very'), ('peak_bytes', 123456789), ('peak_ns', 1000), ('complete', 1);
INSERT INTO processes VALUES (1, 100, NULL, 'start', '/tmp/wide', 'wide --very', 0, 600000000, 'exit', 0, NULL);
INSERT INTO threads(id, process_id, tid, name, start_ns, end_ns, first_call_id, last_call_id, calls, self_ns, raw_self_ns)
  SELECT n, 1, 100 + n, 'worker ' || n, 0, 600000000, (n - 1) * 2000 + 1, n * 2000, 2000, 2000000, 2000000
  FROM numbers WHERE n <= 300;
INSERT INTO modules (id, path, name, build_id, symbols, problem) VALUES (1, '/tmp/wide', 'wide', 'abcd', 'dwarf', NULL);
INSERT INTO files(id, path, name) SELECT n, '/src/' || n || '/' || printf('%.200c', 'f') || '.cc', 'f' || n || '.cc' FROM numbers WHERE n <= 3000;
INSERT INTO functions(id, module_id, address, size, name, linkage_name, file_id, line, instrumented, stable_id)
  SELECT n, 1, n * 64, 64, 'space::Type<' || printf('%.400c', 'T') || n || '>::method' || n || '(int)', NULL,
                             n % 3000 + 1, n, 1, 's' || n
  FROM numbers WHERE n <= 20000;
INSERT INTO sites(id, module_id, address, function_id, file_id, line) SELECT n, 1, n * 64, n % 20000 + 1, n % 3000 + 1, n FROM numbers WHERE n <= 100000;
INSERT INTO frames(id, parent_id, function_id, site_id, depth, calls, total_ns, self_ns, finished, raw_total_ns, raw_self_ns,
                   child_calls, alloc_bytes)
  SELECT n, nullif(n / 3, 0), n % 20000 + 1, n, 0, n % 97 + 1, 60000 - n, n % 1000, 1, 60000 - n, n % 1000, 1, n % 4096
  FROM numbers WHERE n <= 60000;
INSERT INTO calls(id, thread_id, frame_id, depth, enter_ns, duration_ns, parent_distance)
  SELECT n, (n - 1) / 2000 + 1, n % 60000 + 1, 0, n * 1000, n % 999, NULL FROM numbers;
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished, min_ns, max_ns, mean_ns, m2,
    fastest_call_id, slowest_call_id, child_calls, calling, single_child_calls, callees, callers, root_calls, unwound, open,
    depth_max, nesting_max, recursive_calls, direct_recursive_calls, sequences)
  SELECT n, n, n * 1000000, n * 900000, n * 1000000, n * 900000, n, 1, n * 1000, 1000.5, 1e9, n, n * 3, n, n, 0, 5, 5, 0, 0, 0, 20, 1, 0, 0, 1
  FROM numbers WHERE n <= 20000;
INSERT INTO edges(id, caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns)
  SELECT n, n % 20000 + 1, n, n * 7 % 20000 + 1, n, n * 1000, n * 1000, n * 500, n * 500 FROM numbers WHERE n <= 100000;
INSERT INTO durations SELECT f.n, l.n, f.n * l.n FROM numbers f JOIN few l WHERE f.n <= 20000;
INSERT INTO alloc_stacks(id, frame_id, site_id, kind, blocks, bytes, freed_blocks, freed_bytes, live_blocks_max, live_bytes_max,
    peak_blocks, peak_bytes, min_size, max_size, lifetime_ns, cross_thread_frees, first_ns, last_ns, first_alloc_id, last_alloc_id)
  SELECT n, n * 2, n, 'malloc', n, n * 64, n / 2, n * 32, n, n * 64, n / 3, n * 16, 8, 4096, n * 1000, 0, 0, 1, n, n
  FROM numbers WHERE n <= 30000;
INSERT INTO memory_steps SELECT n, 0, n * 600000, n * 1000, n, n * 1100, 1, 1, 1, 1 FROM numbers WHERE n <= 1000;
INSERT INTO notes(id, thread_id, call_id, ns, text) SELECT n, n % 300 + 1, NULL, n * 1000, printf('%.300c', 'n') || n FROM numbers WHERE n <= 5000;
COMMIT;
