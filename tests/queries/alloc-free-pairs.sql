-- positive: log_line frees what work allocated, main frees what parse did
.read tests/fixtures/small.sql
-- positive: parse's second block is not freed
-- edge: allocated and freed outside any traced call
INSERT INTO alloc_stacks VALUES (3, NULL, NULL, 'new', 4, 32, 4, 32, 1, 32, 0, 0, 8, 8, 5, 5, 0, 5, 5, 4, 4, NULL, NULL);
INSERT INTO block_flows VALUES (3, 3, NULL, NULL, 1, 1, 4, 32, 5, 5, 0, 4, NULL);
-- negative: ns::next allocates nothing
-- positive: what xmalloc and xfree do counts for list and tree; edge: where it was inlined, only its caller is known
.read tests/fixtures/wrappers.sql
