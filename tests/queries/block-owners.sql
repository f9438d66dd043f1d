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
-- parameters: min_blocks=1
