-- negative: main encloses allocation and free of parse's block, but nobody called it
.read tests/fixtures/small.sql
INSERT INTO alloc_owners VALUES (1, 1, 1, 100, 1);
-- negative: work's block, which another thread freed
-- positive, edge: a block that lives within the call that allocates it
INSERT INTO alloc_owners VALUES (2, 4, 1, 8, 3);
-- edge: work owns blocks of its own in another context, too, where it was called twice: it was called three times
INSERT INTO frames(id, parent_id, function_id, site_id, depth, calls, total_ns, self_ns, finished, raw_total_ns, raw_self_ns,
    child_calls) VALUES (38, 2, 4, 2, 2, 2, 9, 9, 2, 9, 9, 0);
INSERT INTO alloc_stacks VALUES (38, 38, 6, 'malloc', 2, 16, 2, 16, 1, 8, 0, 0, 8, 8, 5, 5, 0, 5, 5, 5, 5, NULL, NULL);
INSERT INTO alloc_owners VALUES (38, 38, 2, 16, 5);
-- positive: the same line in another copy of the code counts with it
INSERT INTO sites(id, module_id, address, function_id, file_id, line) VALUES (39, 1, 0x1390, 4, 1, 42);
INSERT INTO alloc_stacks VALUES (39, 4, 39, 'malloc', 3, 24, 3, 24, 1, 8, 0, 0, 8, 8, 5, 5, 0, 5, 5, 4, 4, NULL, NULL);
INSERT INTO alloc_owners VALUES (39, 4, 3, 24, 4);
-- positive: what xmalloc and xfree do counts for list and tree; edge: where it was inlined, only its caller is known
.read tests/fixtures/wrappers.sql
INSERT INTO alloc_owners VALUES (31, 31, 10, 240, 4);
-- negative: once, of which each of ten calls owns one block; long, whose call lasts for most of main's time
INSERT INTO functions(id, module_id, address, size, name, file_id, line, instrumented, stable_id) VALUES
  (51, 1, 0x5000, 32, 'once', 1, 51, 1, 's51'), (52, 1, 0x5100, 32, 'long', 1, 52, 1, 's52');
INSERT INTO frames(id, parent_id, function_id, depth, calls, total_ns, self_ns, finished, raw_total_ns, raw_self_ns, child_calls)
  VALUES (51, 1, 51, 1, 10, 9, 9, 10, 9, 9, 0), (52, 1, 52, 1, 1, 9, 9, 1, 9, 9, 0);
INSERT INTO alloc_stacks SELECT id, id, NULL, 'malloc', 10, 80, 10, 80, 1, 8, 0, 0, 8, 8, 5, 5, 0, 5, 5, id, id, NULL, NULL
  FROM functions WHERE id > 50;
INSERT INTO calls(id, thread_id, frame_id, depth, enter_ns, duration_ns, parent_distance, descendants, children_ns, ended)
  VALUES (90, 1, 52, 1, 10000, 60000, 89, 0, 0, 0);
INSERT INTO allocs(id, call_id, frame_id, thread_id, kind, address, size, alloc_ns, owner_call_id) VALUES (90, 90, 52, 1, 'malloc', 4096, 8, 11000, 90);
INSERT INTO alloc_owners VALUES (51, 51, 10, 80, 91), (52, 52, 10, 80, 90);
-- parameters: min_blocks=1 min_saved=0
