-- negative: main encloses allocation and free of parse's block, but nobody called it
.read tests/fixtures/small.sql
INSERT INTO alloc_owners VALUES (1, 1, 1, 100, 1);
-- negative: work's block, which another thread freed
-- positive, edge: a block that lives within the call that allocates it
INSERT INTO alloc_owners VALUES (2, 4, 1, 8, 3);
-- positive: the same line in another copy of the code counts with it
INSERT INTO sites(id, module_id, address, function_id, file_id, line) VALUES (39, 1, 0x1390, 4, 1, 42);
INSERT INTO alloc_stacks VALUES (39, 4, 39, 'malloc', 3, 24, 3, 24, 1, 8, 0, 0, 8, 8, 5, 5, 0, 5, 5, 4, 4, NULL, NULL);
INSERT INTO alloc_owners VALUES (39, 4, 3, 24, 4);
-- positive: what xmalloc and xfree do counts for list and tree; edge: where it was inlined, only its caller is known
.read tests/fixtures/wrappers.sql
INSERT INTO alloc_owners VALUES (31, 31, 10, 240, 4);
-- parameters: min_blocks=1
