-- positive: ns::next, three calls deep; worker's log_line, whose stack is another
.read tests/fixtures/small.sql
-- negative: parse and main, at whose deepest call others were made; work, whose stack shares its first half with the first
-- edge: only so many as asked for; ns::next was inlined
UPDATE frames SET site_id = 1 WHERE id = 3;
-- parameters: rows=2
