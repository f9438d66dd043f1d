-- positive: log_line of a library, called from one line; parse from two, most of its time from the first
.read tests/fixtures/small.sql
INSERT INTO modules(id, path, name) VALUES (9, '/lib/libtext.so.1', 'libtext.so.1');
UPDATE functions SET external = 1, own = 0, module_id = 9 WHERE name IN ('log_line', 'parse');
INSERT INTO edges(id, caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns,
    first_call_id, slowest_call_id) VALUES (7, 4, 3, 2, 1, 10, 10, 5, 5, 6, NULL);
-- negative: functions that are recorded themselves, main and the others, have no row
-- negative: one that was not called has none
UPDATE functions SET external = 1, own = 0, module_id = 9 WHERE name = 'unused';
