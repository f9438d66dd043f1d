-- positive: parse calls ns::next, which allocates nothing
.read tests/fixtures/small.sql
-- negatives: main's calls of parse, whose blocks main frees, or nobody; work is called once
-- Functions that main calls, each in a context of its own.
CREATE TEMP TABLE more(id, name, calls, total_ns, wait_ns, counted);
INSERT INTO more VALUES
  (11, 'own_blocks', 10, 10000, 0, 0),  -- positive: its callee allocates, the callee or itself frees
  (12, 'hands_on', 10, 10000, 0, 0),    -- negatives: the next call frees what one allocated
  (13, 'keeps', 10, 10000, 0, 0),       -- nobody frees it
  (14, 'frees_others', 10, 10000, 0, 0),-- frees what main allocated
  (15, 'makes', 10, 10000, 0, 0),       -- main frees it
  (16, 'waits', 10, 10000, 0, 0),       -- for a lock, in a callee
  (17, 'holds', 10, 10000, 0, 0),       -- a lock that nobody waits for
  (18, 'in_two_threads', 10, 10000, 0, 0),
  (19, 'recursive', 10, 10000, 0, 0),
  (20, 'little', 4, 4999, 0, 0),        -- less than 5 % of the run
  (21, 'just_enough', 5, 5000, 0, 0),   -- edge: 5 %, and 1000 ns a call: given
  (22, 'short', 11, 10999, 0, 0),       -- less than 1000 ns a call
  (23, 'sleeps', 4, 20000, 10001, 0),   -- waits for more than half its time
  (24, 'dozes', 4, 20000, 10000, 0),    -- edge: for half: given
  (25, 'counted', 10, 10000, 0, 1),     -- not all its calls are rows
  (26, 'twice', 2, 10000, 0, 0),        -- edge: as many calls as asked for: given
  (27, 'freed_elsewhere', 10, 10000, 0, 0); -- another thread frees it
INSERT INTO functions(id, module_id, address, size, name, linkage_name, file_id, line, instrumented, stable_id)
  SELECT id, 1, id * 256, 900, name, NULL, 1, id, 1, 's' || id FROM more
  UNION ALL VALUES (31, 1, 31 * 256, 900, 'inner', NULL, 1, 31, 1, 's31');
INSERT INTO sites(id, module_id, address, function_id, file_id, line, indirect) SELECT id, 1, id * 16, 1, 1, id, 0 FROM more;
INSERT INTO frames(id, parent_id, function_id, site_id, depth, calls, total_ns, self_ns, finished, slowest_call_id,
    raw_total_ns, raw_self_ns, child_calls, counted_calls, wait_ns)
  SELECT id, 1, id, id, 1, calls, total_ns, 0, calls - counted, id * 10, total_ns, 0, 1, counted, wait_ns FROM more
  -- inner within own_blocks and within waits
  UNION ALL VALUES (31, 11, 31, 2, 2, 10, 900, 900, 10, 311, 900, 900, 0, 0, 0),
                   (36, 16, 31, 2, 2, 10, 900, 900, 10, 361, 900, 900, 0, 0, 0);
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished,
    child_calls, calling, single_child_calls, callees, callers, root_calls,
    unwound, open, first_call_id, depth_max, nesting_max, recursive_calls, direct_recursive_calls, sequences)
  SELECT id, calls, total_ns, 0, total_ns, 0, calls, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 1, name = 'recursive', 0, 1 FROM more
  UNION ALL VALUES (31, 20, 1800, 1800, 1800, 1800, 20, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 1, 0, 0, 1);
INSERT INTO thread_functions(thread_id, function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns)
  SELECT 1, id, calls, total_ns, 0, total_ns, 0 FROM more
  UNION ALL VALUES (1, 31, 20, 1800, 1800, 1800, 1800), (2, 18, 1, 1, 1, 1, 1);
-- The calls in which blocks were both allocated and freed: 110 own_blocks, 111 inner within it.
INSERT INTO calls(id, thread_id, frame_id, depth, enter_ns, duration_ns, parent_distance, descendants, children_ns, ended) VALUES
  (110, 1, 11, 1, 61000, 1000, 109, 1, 90, 0), (111, 1, 31, 2, 61100, 90, 1, 0, 0, 0);
CREATE TEMP TABLE blocks(id, frame_id, free_frame_id, owner_call_id, free_thread_id);
INSERT INTO blocks VALUES
  (11, 31, 11, 110, 1), (12, 31, 31, 111, 1), (13, 12, 12, 1, 1), (14, 13, NULL, NULL, NULL), (15, 1, 14, 1, 1), (16, 15, 1, 1, 1),
  (17, 27, 6, NULL, 2);
INSERT INTO allocs(id, call_id, frame_id, thread_id, site_id, kind, address, size, alloc_ns, free_ns,
                   free_call_id, free_frame_id, free_thread_id, free_site_id, free_kind, owner_call_id)
  SELECT id, coalesce(owner_call_id, 1), frame_id, 1, 5, 'malloc', id * 256, 8, 62000 + id, CASE WHEN free_frame_id IS NOT NULL THEN 63000 END,
         owner_call_id, free_frame_id, free_thread_id, 5, 'free', owner_call_id FROM blocks;
INSERT INTO alloc_stacks
  SELECT 10 + frame_id, frame_id, 5, 'malloc', count(*), 8 * count(*), count(free_frame_id), 8 * count(free_frame_id), 1, 8, 1, 8, 8, 8,
         0, 0, 0, 62000, 62000, min(id), max(id), NULL, NULL FROM blocks GROUP BY frame_id;
INSERT INTO block_flows
  SELECT id, 10 + frame_id, free_frame_id, 5, 1, free_thread_id, 1, 8, 1, 1, 0, id, NULL FROM blocks WHERE free_frame_id IS NOT NULL;
INSERT INTO locks(id, process_id, kind, address, made, site_id, thread_id, frame_id, first_ns) VALUES
  (1, 1, 'mutex', 0x7000, 0, 2, 1, 1, 10), (2, 1, 'mutex', 0x7100, 0, 2, 1, 1, 10);
INSERT INTO lock_waits VALUES (1, 1, 1, 361, 36, 2, 'write', 62000, 10, 'taken', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO lock_holds VALUES (2, 1, 10, 100, 10, 170, 17, 2, 0);
INSERT INTO run VALUES ('options', 'locks=2');
-- parameters: min_calls=2
