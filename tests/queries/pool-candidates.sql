-- positive: parse, whose blocks have one size
.read tests/fixtures/small.sql
INSERT INTO alloc_sizes VALUES (1, 100, 2),
-- negative: work, whose blocks have three sizes
  (2, 10, 1), (2, 20, 1), (2, 4096, 1);
-- edge: log_line, with one size and too many others (-1)
INSERT INTO alloc_stacks VALUES (3, 6, 7, 'malloc', 9, 32, 0, 0, 1, 32, 0, 0, 1, 32, 0, NULL, 0, 5, 5, 4, 4, NULL, NULL);
INSERT INTO alloc_sizes VALUES (3, 8, 4), (3, -1, 5);
-- negatives: texts (of 10 bytes), what realloc made, and one block at a time
-- Functions that main calls from a site of their own, a thousand times each.
CREATE TEMP TABLE more(id, name, size, scope, unit, inlined, call_targets, indirect, site, self_ns);
INSERT INTO more VALUES
  (11, 'texts', 900, 'global', 9, 0, 1, 0, 11, 100), (12, 'grows', 900, 'global', 9, 0, 1, 0, 12, 100),
  (13, 'one_at_a_time', 900, 'global', 9, 0, 1, 0, 13, 100), (14, 'nodes', 900, 'global', 9, 0, 1, 0, 14, 100), -- positive
  (15, 'copy', 900, 'global', 9, 0, 1, 0, 15, 100), (16, 'mostly', 900, 'global', 9, 0, 1, 0, 16, 100),
  (17, 'vector', 900, 'global', 9, 0, 1, 0, 17, 100), (18, 'kept', 900, 'global', 9, 0, 1, 0, 18, 100);
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
INSERT INTO frames(id, parent_id, function_id, site_id, depth, calls, total_ns, self_ns, min_ns, max_ns, mean_ns, m2,
    finished, fastest_call_id, slowest_call_id, raw_total_ns, raw_self_ns, child_calls, counted_calls, first_ns,
    last_ns, allocs, alloc_bytes, frees, free_bytes)
  SELECT id, 1, id, id, 1, 1000, 1, 1, 1, 1, 1.0, 0, 1000, 2, 2, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0 FROM more;
INSERT INTO alloc_stacks SELECT id, id, id, CASE id WHEN 12 THEN 'realloc' ELSE 'malloc' END, 9, 90, 9, 90, 3, 30, 0, 0,
    8, 8, 5, 5, 0, 5, 5, 4, 4, NULL, NULL FROM more;
INSERT INTO alloc_sizes SELECT id, CASE id WHEN 11 THEN 10 ELSE 24 END, 9 FROM more;
UPDATE alloc_stacks SET live_blocks_max = 1 WHERE id = 13;
INSERT INTO block_flows VALUES (12, 12, 12, 12, 1, 1, 5, 50, 1, 1, 0, 4, NULL); -- by the same realloc
-- edges: realloc of NULL, as nothing that it made was replaced; a copy constructor; one size in twenty is another
UPDATE alloc_stacks SET kind = 'realloc' WHERE id = 14;
UPDATE functions SET name = 'Node::Node', linkage_name = '_ZN4NodeC2ERKS_' WHERE id = 15;
UPDATE alloc_stacks SET blocks = 100 WHERE id = 16;
INSERT INTO alloc_sizes VALUES (16, 8, 86), (16, 16, 5);
-- negative: what a vector grows; positive: none was freed
INSERT INTO functions(id, module_id, address, name, instrumented, stable_id, own) VALUES (19, 1, 0x1900, 'std::vector<int>::reserve', 0, 's19', 0);
UPDATE sites SET file_id = NULL, line = NULL, function_id = 19 WHERE id = 17;
UPDATE alloc_stacks SET freed_blocks = 0 WHERE id = 18;
-- negative: one block at a time, too, though two stacks had one each
UPDATE function_stats SET live_blocks_max = CASE function_id WHEN 13 THEN 1 ELSE 100 END;
CREATE TEMP TABLE second AS SELECT * FROM alloc_stacks WHERE id = 13;
UPDATE second SET id = 153, kind = 'calloc';
INSERT INTO alloc_stacks SELECT * FROM second;
INSERT INTO alloc_sizes VALUES (153, 24, 9);
-- positive: what xmalloc and xfree do counts for list and tree; edge: where it was inlined, only its caller is known
.read tests/fixtures/wrappers.sql
-- parameters: min_blocks=2 min_saved=0
