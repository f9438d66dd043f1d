-- positive: the mutex before the rwlock in thread 1, the other way round in thread 2
.read tests/fixtures/small.sql
INSERT INTO locks(id, process_id, kind, address, made, site_id, thread_id, frame_id, first_ns) VALUES
  (1, 1, 'mutex', 0x9000, 1, 1, 1, 1, 500), (2, 1, 'rwlock', 0x9040, 0, 5, 1, 2, 600),
  (3, 1, 'condition', 0x9080, 1, 1, 1, 1, 500);
INSERT INTO lock_orders(id, first_lock_id, second_lock_id, thread_id, first_mode, second_mode, times, ns, first_call_id,
    first_frame_id, first_site_id, call_id, frame_id, site_id, guards, cycle) VALUES
  (1, 1, 2, 1, 'write', 'read', 7, 1600, 1, 1, 1, 2, 2, 5, '', 1), (2, 2, 1, 2, 'write', 'write', 1, 72000, 10, 5, 4, 11, 6, 7, '', 1),
-- the same step in another thread: times add up
  (3, 1, 2, 2, 'write', 'read', 2, 80000, NULL, NULL, NULL, NULL, NULL, NULL, '3', NULL),
-- negative: an order on no ring; a ring of places, which is not asked for
  (4, 1, 3, 1, 'write', 'write', 5, 1700, NULL, NULL, NULL, NULL, NULL, NULL, '', NULL),
-- edge: nothing is known of where it was
  (5, 2, 3, 1, 'write', 'write', 1, 90000, NULL, NULL, NULL, NULL, NULL, NULL, '', 2), (6, 3, 2, 1, 'write', 'write', 1, 91000, NULL, NULL, NULL, NULL, NULL, NULL, '', 2);
INSERT INTO lock_cycles VALUES (1, 0, 1, 0), (1, 1, 2, 0), (2, 0, 5, 0), (2, 1, 6, 0), (3, 0, 4, 1), (3, 1, 6, 1);
