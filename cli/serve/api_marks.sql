-- statement: waits
SELECT w.id, w.lock_id, w.thread_id, w.start_ns, w.wait_ns, w.ended, w.deadlock, w.call_id, c.depth, w.held_by_thread_id,
       w.held_by_call_id, h.depth AS held_by_depth, f.function_id AS held_by_function_id
FROM (SELECT * FROM main.lock_waits WHERE start_ns <= ?2 AND start_ns + wait_ns >= ?1 AND wait_ns >= ?3
      ORDER BY wait_ns DESC, id LIMIT ?4) w
     LEFT JOIN main.calls c ON c.id = w.call_id LEFT JOIN main.calls h ON h.id = w.held_by_call_id
     LEFT JOIN main.frames f ON f.id = w.held_by_frame_id
ORDER BY w.wait_ns DESC, w.id;

-- statement: locks
SELECT d.id, d.name, d.kind FROM main.lock_details d
WHERE d.id IN (SELECT lock_id FROM main.lock_waits WHERE start_ns <= ?2 AND start_ns + wait_ns >= ?1 AND wait_ns >= ?3
               ORDER BY wait_ns DESC, id LIMIT ?4)
ORDER BY d.id;

-- statement: incidents
SELECT id, kind, message, thread_id, call_id, ns FROM main.incidents WHERE ns BETWEEN ?1 AND ?2 ORDER BY ns, id LIMIT ?4;

-- statement: faults
SELECT id, text, thread_id, call_id, ns FROM main.fault_marks WHERE ns BETWEEN ?1 AND ?2 ORDER BY ns, id LIMIT ?4;

-- statement: notes
SELECT id, kind, text, thread_id, call_id, ns FROM main.notes WHERE ns BETWEEN ?1 AND ?2 ORDER BY ns, id LIMIT ?4;
