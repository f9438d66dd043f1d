-- positive: the second block of parse; negative: work's block, which was freed
.read tests/fixtures/small.sql
-- edge: allocated outside any traced call
INSERT INTO allocs(id, thread_id, site_id, kind, address, size, alloc_ns) VALUES (4, 1, NULL, 'calloc', 0x7000, 32, 5);
INSERT INTO alloc_stacks VALUES (3, NULL, NULL, 'calloc', 1, 32, 0, 0, 1, 32, 1, 32, 32, 32, 0, NULL, 0, 5, 5, 4, 4, 4, 4);
-- negative: what the C library keeps, in libc.so and in a static program, the dynamic linker's, libstdc++'s memory for exceptions
-- edge: functions of the same names that are the program's own; what the library makes for its caller
INSERT INTO modules(id, path, name) VALUES (20, '/lib/libc.so.6', 'libc.so.6'), (21, '/lib64/ld-linux-x86-64.so.2', 'ld-linux-x86-64.so.2'),
    (22, '/lib/libstdc++.so.6', 'libstdc++.so.6'), (23, '/bin/static', 'static'), (24, '/lib/libmine.so', 'libmine.so');
INSERT INTO functions(id, module_id, address, name, instrumented, stable_id) VALUES
    (20, 20, 16, '_IO_file_doallocate', 0, 'a'), (21, 20, 32, 'read_alias_file', 0, 'b'), (22, 20, 48, 'strdup', 0, 'c'),
    (23, 20, 64, '__gconv_open', 0, 'd'), (24, 23, 16, '__libc_start_main', 0, 'e'), (25, 23, 32, 'read_alias_file', 0, 'f'),
    (26, 24, 16, 'read_alias_file', 0, 'g'), (27, 23, 48, '_IO_file_doallocate', 1, 'h'), (28, 23, 64, '_dl_init_paths', 0, 'i');
INSERT INTO sites(id, module_id, address, function_id) VALUES (20, 20, 20, 20), (21, 20, 36, 21), (22, 20, 52, 22), (23, 20, 68, 23),
    (24, 20, 1000, NULL), (25, 21, 100, NULL), (26, 22, 100, NULL), (27, 23, 36, 25), (28, 24, 20, 26), (29, 23, 52, 27), (30, 23, 68, 28);
WITH kept(site_id, kind) AS (SELECT id, 'malloc' FROM sites WHERE id >= 20 UNION ALL VALUES (26, 'new'))
INSERT INTO alloc_stacks
    SELECT 100 + row_number() OVER (ORDER BY site_id, kind), NULL, site_id, kind, 1, site_id, 0, 0, 1, site_id, 1, site_id, site_id, site_id,
           0, NULL, 0, 5, 5, 4, 4, 4, 4 FROM kept;
-- positive: what xmalloc and xfree do counts for list and tree; edge: where it was inlined, only its caller is known
.read tests/fixtures/wrappers.sql
