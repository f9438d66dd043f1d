-- positive: two lost chunks, a killed process, a module without names
.read tests/fixtures/small.sql
INSERT INTO losses VALUES (1, 'missing chunk', 1, 1, NULL, NULL, 2, 500, NULL, NULL, NULL, 'after sequence 3'),
  (2, 'missing chunk', 1, 2, NULL, NULL, 1, 20, NULL, NULL, NULL, 'before sequence 7'), (3, 'damaged', NULL, NULL, 4096, 128, NULL, NULL, NULL, NULL, NULL, NULL);
UPDATE processes SET how_ended = 'signal', signal = 9 WHERE id = 1;
UPDATE modules SET symbols = 'none', problem = 'missing' WHERE id = 1;
-- positive: counted calls
UPDATE function_stats SET counted_calls = 3 WHERE function_id = 3;
-- positive: a process that was attached to, and left
INSERT INTO processes(id, pid, origin, how_ended) VALUES (7, 4711, 'attach', 'detach');
-- negative: a library that nothing was called in needs no names
UPDATE modules SET symbols = 'none' WHERE id = 2;
-- edge: a loss of which no number is known
INSERT INTO losses(reason) VALUES ('disk full');
-- positive: a flight recorder
INSERT INTO run VALUES ('ring_dropped_calls', 12);
-- positive: a program with a malloc of its own, programs that were not followed, one that was not recorded
INSERT INTO run VALUES ('alloc_own_malloc', '/tmp/shop'), ('not_followed', '2 (wine, wine)');
INSERT INTO losses(reason, detail) VALUES ('program not recorded', 'shop32: it is built for another kind of machine');
-- edge: numbers that somebody made up, whose sum does not fit: the largest number there is
INSERT INTO losses(reason, calls, chunks, bytes) VALUES ('truncated', 9223372036854775807, 1, 9223372036854775807), ('truncated', 9223372036854775807, 1, 1);
