-- positive: main calls parse and work, parse calls ns::next
.read tests/fixtures/small.sql
-- negative: ns::next calls nobody
-- edge: a callee called from two lines has a row for each
INSERT INTO edges VALUES (7, 1, 3, 2, 1, 10, 10, 5, 5, 6, NULL);
