-- positive: main encloses allocation and free of parse's block
.read tests/fixtures/small.sql
INSERT INTO alloc_owners VALUES (1, 1, 1, 100, 1);
-- negative: work's block, which another thread freed
-- edge: a block that lives within the call that allocates it
INSERT INTO alloc_owners VALUES (2, 4, 1, 8, 3);
-- parameters: min_blocks=1
