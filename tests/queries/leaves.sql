-- positive: ns::next and work call nobody
-- positive (low): parse calls ns::next alone
.read tests/fixtures/small.sql
-- negative: main, called as often as asked for, calls others than leaves, too
-- edge: a leaf with exactly as many calls as asked for; log_line has fewer
UPDATE function_stats SET calls = 2 WHERE function_id IN (1, 4);
-- edge: half of ns::next's calls are inlined: their site is that of parse's call
INSERT INTO edges(caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns) VALUES (2, 1, 3, 5, 1, 1, 1, 1);
-- parameters: min_calls=2 low=1
