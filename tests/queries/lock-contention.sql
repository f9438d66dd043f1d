-- positive: log_line waited twice for the mutex while parse held it, once while nobody was known to; parse for the rwlock
.read tests/fixtures/small.sql
INSERT INTO locks(id, process_id, kind, address, made, site_id, thread_id, frame_id, first_ns) VALUES
  (1, 1, 'mutex', 0x9000, 1, 1, 1, 1, 500), (2, 1, 'rwlock', 0x9040, 0, 5, 1, 2, 600),
  (3, 1, 'condition', 0x9080, 1, 1, 1, 1, 500);
INSERT INTO lock_waits(lock_id, thread_id, call_id, frame_id, site_id, mode, start_ns, wait_ns, ended, mutex_id,
    held_by_thread_id, held_by_call_id, held_by_frame_id, held_by_site_id) VALUES
  (1, 2, 11, 6, 7, 'write', 71000, 4000, 'taken', NULL, 1, 6, 2, 5), (1, 2, 11, 6, 7, 'write', 76000, 2500, 'taken', NULL, 1, 2, 2, 5),
  (1, 2, 11, 6, 7, 'write', 79000, 100, 'given up', NULL, NULL, NULL, NULL, NULL),
  (2, 1, 2, 2, 2, 'read', 2000, 900, 'taken', NULL, 2, NULL, NULL, 7),
-- negative: waiting for work; a lock that was free (--locks=all)
  (3, 2, 10, 5, 4, 'write', 30000, 9000, 'taken', 1, NULL, NULL, NULL, NULL), (1, 1, 2, 2, 5, 'write', 1500, 0, 'taken', NULL, NULL, NULL, NULL, NULL),
-- edge: outside any traced call, and it never ended
  (1, 2, NULL, NULL, NULL, 'write', 89000, 1000, 'open', NULL, NULL, NULL, NULL, NULL);
-- positive: two threads that wait for each other to the end
INSERT INTO lock_waits(lock_id, thread_id, call_id, frame_id, site_id, mode, start_ns, wait_ns, ended, held_by_thread_id,
    held_by_call_id, held_by_frame_id, held_by_site_id, deadlock) VALUES
  (1, 2, 11, 6, 7, 'write', 88000, 2000, 'open', 1, 6, 2, 2, 1), (2, 1, 2, 2, 5, 'write', 88100, 1900, 'open', 2, 11, 6, 7, 1);
