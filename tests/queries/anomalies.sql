-- positive: two exits of log_line that matched no entry, ; negative: calls that longjmp ended
.read tests/fixtures/small.sql
INSERT INTO anomalies VALUES (1, 'mismatched-exit', 1, 5000, 3, 6, 7, 0, NULL), (2, 'mismatched-exit', 2, 71000, 11, 6, 7, 0, NULL),
  (3, 'unwound', 1, 30000, 2, 3, NULL, 2, NULL),
-- edge: outside any traced call, with a detail
  (4, 'impossible', 2, 90001, NULL, NULL, NULL, NULL, 'a block was allocated where one lived');
-- negative: a call that was open at exit()
UPDATE function_stats SET open = 1 WHERE function_id = 5;
-- negative: functions whose calls all returned
