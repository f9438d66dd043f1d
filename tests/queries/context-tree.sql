-- positive: the tree of main, then that of worker
.read tests/fixtures/small.sql
-- negative: log_line, whose share is too small
-- edge: a small frame under a kept one is left out alone
-- edge: ns::next was inlined into parse: its hooks tell the line where parse was called
UPDATE frames SET site_id = 1 WHERE id = 3;
-- parameters: min_percent=7
