-- positive: main, whose calls had two sequences
.read tests/fixtures/small.sql
UPDATE function_stats SET sequences = 2, calls = 3, sequences_complete = 0 WHERE function_id = 1;
INSERT INTO call_sequences VALUES (1, 1, 2, '2 4', 2, 1), (1, 2, 1, '4', 1, 2),
-- negative: parse has one
  (2, 1, 2, '3', 1, 2),
-- edge: worker mostly calls nobody
  (5, 1, 4, '', 0, 10), (5, 2, 1, '6', 1, 10);
UPDATE function_stats SET sequences = 2, calls = 5 WHERE function_id = 5;
-- negative: parse, whose two sequences have the same callees
UPDATE function_stats SET sequences = 2, calls = 5 WHERE function_id = 2;
INSERT INTO call_sequences VALUES (2, 2, 1, '3 6 3', 3, 2), (2, 3, 1, '3 6', 2, 2);
DELETE FROM call_sequences WHERE function_id = 2 AND rank = 1;
