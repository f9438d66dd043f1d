-- positive: parse.cc, of whose three functions one was never called
.read tests/fixtures/small.sql
-- negative: a function without hooks does not count
INSERT INTO functions(id, module_id, address, size, name, linkage_name, file_id, line, instrumented, stable_id)
  VALUES (8, 1, 0x1700, 8, 'plain', NULL, 2, 80, 0, 's8');
-- edge: a module without files
INSERT INTO functions(id, module_id, address, size, name, linkage_name, file_id, line, instrumented, stable_id)
  VALUES (9, 2, 0x1800, 8, 'nameless', NULL, NULL, NULL, 1, 's9');
