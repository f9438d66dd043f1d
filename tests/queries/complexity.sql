-- parameters: min_modes=3
-- positive: main, whose calls had three sets of callees; negative: worker, whose two sets are one if
.read tests/fixtures/small.sql
UPDATE functions SET size = 900 WHERE id <= 7;
UPDATE function_stats SET sequences = 4, calls = 8, sequences_complete = 0 WHERE function_id = 1;
INSERT INTO edges(caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns) VALUES
  (1, 2, 5, 1, 1, 1, 1, 1), (1, 7, 6, 1, 1, 1, 1, 1), (4, 4, 5, 1, 1, 1, 1, 1), (4, 4, 6, 1, 1, 1, 1, 1), (4, 6, 2, 1, 1, 1, 1, 1);
-- edge: what repeats in the shown sequence is told once; next is an accessor and no callee
UPDATE functions SET size = 16, call_targets = 0 WHERE id = 3;
INSERT INTO call_sequences VALUES (1, 1, 4, '2 3 4 2 4 2 4 5 6 6', 10, 1), (1, 2, 2, '4', 1, 2), (1, 3, 1, '3 4 3', 3, 2), (1, 4, 1, '', 0, 2),
  (5, 1, 4, '', 0, 10), (5, 2, 1, '6', 1, 10);
UPDATE function_stats SET sequences = 2, calls = 5 WHERE function_id = 5;
-- negative: parse, whose two sequences have the same callees
UPDATE function_stats SET sequences = 2, calls = 5 WHERE function_id = 2;
INSERT INTO call_sequences VALUES (2, 1, 3, '3 6 3', 3, 2), (2, 2, 2, '3 6', 2, 2);
-- negative: work, whose callees a pointer chose, but for one
UPDATE sites SET indirect = 1 WHERE id = 4;
UPDATE function_stats SET sequences = 3, calls = 6 WHERE function_id = 4;
INSERT INTO call_sequences VALUES (4, 1, 3, '5', 1, 9), (4, 2, 2, '6', 1, 9), (4, 3, 1, '6 2', 2, 9);
-- negative: log_line, nearly all of whose calls went the same way
UPDATE function_stats SET sequences = 3, calls = 100 WHERE function_id = 6;
INSERT INTO call_sequences VALUES (6, 1, 97, '2', 1, 11), (6, 2, 2, '4', 1, 11), (6, 3, 1, '2 4', 2, 11);
-- positive: unused is called from two sites, and calls what no other of them does
INSERT INTO frames(id, parent_id, function_id, site_id, depth, calls, total_ns, self_ns, finished, raw_total_ns, raw_self_ns, child_calls) VALUES
  (7, 1, 7, 1, 1, 5, 1, 1, 5, 1, 1, 3), (8, 1, 7, 3, 1, 5, 1, 1, 5, 1, 1, 3), (9, 7, 2, 5, 2, 1, 1, 1, 1, 1, 1, 0), (10, 8, 4, 6, 2, 1, 1, 1, 1, 1, 1, 0);
INSERT INTO edges(caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns) VALUES
  (7, 5, 2, 1, 1, 1, 1, 1), (7, 6, 4, 1, 1, 1, 1, 1);
INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished, child_calls, calling,
    single_child_calls, callees, callers, root_calls, unwound, open, depth_max, nesting_max, recursive_calls, direct_recursive_calls, sequences)
  VALUES (7, 10, 9, 9, 9, 9, 10, 19, 1, 0, 2, 1, 0, 0, 0, 1, 1, 0, 0, 3);
INSERT INTO call_sequences VALUES (7, 1, 5, '2', 1, 2), (7, 2, 4, '4', 1, 2), (7, 3, 1, '', 0, 2);
.read tests/fixtures/context_edges.sql
