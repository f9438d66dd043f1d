-- positive: the second block of parse; negative: work's block, which was freed
.read tests/fixtures/small.sql
-- edge: allocated outside any traced call
INSERT INTO allocs(id, thread_id, site_id, kind, address, size, alloc_ns) VALUES (4, 1, NULL, 'calloc', 0x7000, 32, 5);
INSERT INTO alloc_stacks VALUES (3, NULL, NULL, 'calloc', 1, 32, 0, 0, 1, 32, 1, 32, 32, 32, 0, NULL, 0, 5, 5, 4, 4, 4, 4);
