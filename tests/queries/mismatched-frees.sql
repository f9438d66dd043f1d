-- positive: work's malloc, freed by log_line with delete[]
.read tests/fixtures/small.sql
UPDATE allocs SET free_kind = 'delete[]' WHERE id = 3;
UPDATE block_flows SET mismatched = 1, example_mismatch_id = 3 WHERE id = 2;
-- negative: parse's block, freed by free
-- edge: allocated outside any traced call
INSERT INTO alloc_stacks VALUES (3, NULL, NULL, 'new', 1, 32, 1, 32, 1, 32, 0, 0, 32, 32, 5, 5, 0, 5, 5, 4, 4, NULL, NULL);
INSERT INTO allocs(id, thread_id, kind, address, size, alloc_ns, free_ns, free_thread_id, free_kind) VALUES (4, 1, 'new', 0x7000, 32, 5, 10, 1, 'free');
INSERT INTO block_flows VALUES (3, 3, NULL, NULL, 1, 1, 1, 32, 5, 5, 1, 4, 4);
