-- positive: work and parse allocate, log_line and main free; edge: worker does so in callees only
.read tests/fixtures/small.sql
-- edge: a function that does both is mixed
INSERT INTO block_flows VALUES (3, 1, 2, 5, 1, 1, 1, 100, 5, 5, 0, 1, NULL);
-- negative: ns::next neither allocates nor frees and is no row
-- positive: what xmalloc and xfree do counts for list and tree; edge: where it was inlined, only its caller is known
.read tests/fixtures/wrappers.sql
