-- positive: the mutex in both threads, with the longest hold in parse's second call; who waited for it
.read tests/fixtures/small.sql
INSERT INTO locks(id, process_id, kind, address, made, site_id, thread_id, frame_id, first_ns) VALUES
  (1, 1, 'mutex', 0x9000, 1, 1, 1, 1, 500), (2, 1, 'rwlock', 0x9040, 0, 5, 1, 2, 600),
  (3, 1, 'condition', 0x9080, 1, 1, 1, 1, 500);
INSERT INTO lock_holds(lock_id, thread_id, times, hold_ns, longest_ns, longest_call_id, longest_frame_id, longest_site_id, failed) VALUES
  (1, 1, 3, 12000, 9000, 6, 2, 5, 0), (1, 2, 2, 500, 300, 11, 6, 7, 4),
-- edge: never given back, only tried in vain; by a thread that the log does not know
  (2, 2, 0, 0, 0, NULL, NULL, NULL, 1), (2, 0, 1, 40, 40, NULL, NULL, NULL, 0);
INSERT INTO lock_waits(lock_id, thread_id, call_id, frame_id, site_id, mode, start_ns, wait_ns, ended) VALUES
  (1, 2, 11, 6, 7, 'write', 71000, 4000, 'taken'), (1, 2, 11, 6, 7, 'write', 76000, 0, 'taken'),
-- negative: a condition is not held
  (3, 2, 10, 5, 4, 'write', 30000, 9000, 'taken');
-- positive: a deadlock holds its lock to the end, and no thread gives it back
INSERT INTO lock_waits(lock_id, thread_id, call_id, frame_id, site_id, mode, start_ns, wait_ns, ended, held_by_thread_id,
    held_by_call_id, held_by_frame_id, held_by_site_id, deadlock) VALUES
  (2, 2, 11, 6, 7, 'write', 78000, 12000, 'open', 1, 6, 2, 5, 1);
