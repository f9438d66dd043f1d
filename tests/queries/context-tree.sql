-- positive: the tree of main, then that of worker
.read tests/fixtures/small.sql
-- negative: log_line, whose share is too small
-- edge: a small frame under a kept one is left out alone
-- parameters: min_percent=7
