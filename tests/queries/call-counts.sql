-- The small run: ns::next was called most; unused was not called and is no row.
.read tests/fixtures/small.sql
-- edge: half of ns::next's calls are inlined: their site is that of parse's call
INSERT INTO edges(caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns) VALUES (2, 1, 3, 5, 1, 1, 1, 1);
-- negative: work calls itself, from a site of its own
INSERT INTO edges(caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns) VALUES (4, 6, 4, 5, 1, 1, 1, 1);
-- parameters: min_calls=1
