-- positive: parse's malloc was made to fail (rule 1), and parse itself (rule 2, a pattern)
.read tests/fixtures/small.sql
INSERT INTO fault_rules VALUES (1, 'malloc in parse: return 0', 'malloc', 'return 0 errno ENOMEM', 2, 1),
  (2, 'pars*: return 1', 'pars*', 'return 1', 2, 1),
-- negative: a rule that never struck
  (3, 'work: return 1', 'work', 'return 1', 0, 0);
INSERT INTO faults(id, rule_id, thread_id, call_id, frame_id, site_id, ns) VALUES
  (1, 1, 1, 2, 2, 5, 1600), (2, 2, 1, 6, 2, 1, 40000),
-- edge: outside any traced call; of a rule that the log does not tell
  (3, 1, 2, NULL, NULL, NULL, 10), (4, 9, 2, 11, 6, 7, 71000);
