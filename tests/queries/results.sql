-- positive: find, the hottest, and open_file
.read tests/fixtures/values.sql
INSERT INTO f(id, name) VALUES (2, 'find'), (3, 'open_file'), (4, 'nothing'), (5, 'mean');
INSERT INTO p VALUES (2, 0, NULL, 'struct node *', 'pointer', NULL, 0), (2, 1, 'key', 'int', 'signed', NULL, 0),
  (3, 0, NULL, 'int', 'signed', NULL, 0), (3, 31, 'errno', 'int', 'signed', NULL, 0), (4, 1, 'x', 'int', 'signed', NULL, 0),
  (5, 0, NULL, 'double', 'float', NULL, 0);
INSERT INTO c(id, parent_id, function_id, site_id, ns, v0, v1, v31) VALUES
  (2, 1, 2, 5, 900, 4096, 1, NULL), (3, 1, 2, 5, 900, 0, 2, NULL), (4, 1, 2, 5, 900, 4096, 3, NULL),
  (5, 1, 3, 6, 300, 3, NULL, NULL), (6, 1, 3, 6, 300, -1, NULL, 2),
  (7, 1, 3, 6, 300, NULL, NULL, NULL), -- edge: one that did not return; errno is no result
-- negative: returns nothing
  (8, 1, 4, 7, 5000, NULL, 1, NULL),
  (9, 1, 5, 7, 10, 0.1, NULL, NULL), (10, 1, 5, 7, 10, 2.5, NULL, NULL), (11, 1, 5, 7, 10, 0.1, NULL, NULL);
.read tests/fixtures/values_made.sql
