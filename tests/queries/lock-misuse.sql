-- positive: log_line unlocks what parse holds, twice
.read tests/fixtures/small.sql
INSERT INTO locks(id, process_id, kind, address, made, site_id, thread_id, frame_id, first_ns) VALUES
  (1, 1, 'mutex', 0x9000, 1, 1, 1, 1, 500), (2, 1, 'rwlock', 0x9040, 0, 5, 1, 2, 600),
  (3, 1, 'condition', 0x9080, 1, 1, 1, 1, 500);
INSERT INTO lock_misuses(misuse, lock_id, thread_id, call_id, frame_id, site_id, ns, other_thread_id, other_call_id, other_frame_id,
    other_site_id, mutex_id) VALUES
  ('unlocked by a thread that does not hold it', 1, 2, 11, 6, 7, 71000, 1, 6, 2, 5, NULL),
  ('unlocked by a thread that does not hold it', 1, 2, 11, 6, 7, 70500, 1, 2, 2, 2, NULL),
-- positive: of a condition, with its mutex
  ('waited with a mutex that the thread does not hold', 3, 1, 9, 4, 6, 62000, NULL, NULL, NULL, NULL, 1),
-- edge: outside any traced call
  ('held when its thread ended', 2, 2, NULL, NULL, 7, 90000, NULL, NULL, NULL, NULL, NULL);
-- negative: a wait is none
INSERT INTO lock_waits(lock_id, thread_id, mode, start_ns, wait_ns, ended) VALUES (1, 2, 'write', 71000, 4000, 'taken');
