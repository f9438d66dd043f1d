-- positive: unused; negative: what was called
.read tests/fixtures/small.sql
-- edge: not called, but without hooks too, so nobody can tell
INSERT INTO functions(id, module_id, address, size, name, linkage_name, file_id, line, instrumented, stable_id)
  VALUES (8, 1, 0x1700, 8, 'plain', NULL, 1, 80, 0, 's8');
-- positive: the largest first
INSERT INTO functions(id, module_id, address, size, name, linkage_name, file_id, line, instrumented, stable_id, call_sources)
  VALUES (10, 1, 0x1900, 99, 'larger', NULL, 2, 90, 1, 's10', 2);
-- edge: copies of it, which nobody counted, may have run
UPDATE functions SET inlined_copies = 3 WHERE id = 10;
-- edge: without debug information there is no file
INSERT INTO functions(id, module_id, address, size, name, linkage_name, file_id, line, instrumented, stable_id)
  VALUES (9, 2, 0x1800, 8, 'nameless', NULL, NULL, NULL, 1, 's9');
