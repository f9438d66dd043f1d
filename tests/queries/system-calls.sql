-- positive: read() with 3 calls of which one failed, and 150 bytes; close() from two lines, whose results are not known
.read tests/fixtures/small.sql
INSERT INTO modules(id, path, name) VALUES (9, '/lib/libc.so.6', 'libc.so.6');
UPDATE functions SET external = 1, own = 0, module_id = 9, name = 'read', system_call = 'read' WHERE name = 'log_line';
UPDATE functions SET external = 1, own = 0, module_id = 9, name = 'close', system_call = 'close' WHERE name = 'parse';
INSERT INTO parameters(id, function_id, position, type, kind) SELECT 900, id, 0, 'ssize_t', 'signed' FROM functions WHERE name = 'read';
INSERT INTO parameters(id, function_id, position, name, type, kind, enum_id) SELECT 901, id, 31, 'errno', 'int', 'enum', 90
    FROM functions WHERE name = 'read';
INSERT INTO enumerators(enum_id, number, value, name) VALUES (90, 0, 11, 'EAGAIN');
INSERT INTO parameter_stats(parameter_id, listed, calls, absent, unreadable, no_room, cut, cpu_ns, distinct_values, counted, other_calls,
    other_cpu_ns, min_value, max_value, positive_sum) VALUES (900, 1, 3, 0, 0, 0, 0, 0, 3, 1, 0, 0, -1, 100, 150),
    (901, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 11, 11, 11);
INSERT INTO value_counts(parameter_id, rank, value, calls, error, cpu_ns, max_ns, first_call_id) VALUES (901, 1, 11, 1, 0, 0, 0, 1);
INSERT INTO edges(id, caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns,
    first_call_id, slowest_call_id) VALUES (7, 4, 3, 2, 1, 10, 10, 5, 5, 6, NULL);
-- negative: functions of libraries that make no system call, and those that are recorded themselves, have no row
UPDATE functions SET external = 1, own = 0, module_id = 9 WHERE name = 'unused';
