-- The statements of report_timeline.c.

-- statement: threads
SELECT id, first_call_id, last_call_id, calls
FROM threads
WHERE calls > 0 AND first_call_id IS NOT NULL
ORDER BY calls DESC, id
LIMIT ?1

-- statement: notes
SELECT thread_id, ns, text
FROM (SELECT 1 AS what, id, thread_id, ns, text
      FROM notes
      UNION ALL
      SELECT 0, id, thread_id, ns, text
      FROM fault_marks)
ORDER BY what, id

-- statement: gaps
SELECT g.thread_id, f.function_id, c.depth, g.start_ns, g.wall_ns, g.wait_ns, g.preempted_ns, g.major_faults,
       g.call_id, g.paused
FROM (SELECT id, row_number() OVER (ORDER BY wait_ns + preempted_ns DESC, id) AS place FROM gaps) o
     CROSS JOIN gaps g ON g.id = o.id
     LEFT JOIN frames f ON f.id = CASE WHEN o.place <= 6000 THEN g.frame_id END
     LEFT JOIN calls c ON c.id = CASE WHEN o.place <= 6000 THEN g.call_id END
ORDER BY o.place

-- statement: calls
-- Calls of a lane from ?1 to ?2 that last longer than ?3, and those with at least ?4 calls in them.
SELECT id, frame_id, depth, enter_ns, duration_ns, descendants
FROM calls
WHERE id BETWEEN ?1 AND ?2 AND (descendants >= ?4 OR duration_ns > ?3)

-- statement: slot
SELECT max(1, max(end_ns) / 500) FROM threads

-- statement: short_gaps
SELECT g.thread_id, f.function_id, g.start_ns / slot.ns AS slot, sum(g.wait_ns >= g.preempted_ns) AS waits,
       CAST(total(g.wait_ns) AS INTEGER) AS wait_ns, CAST(total(g.preempted_ns) AS INTEGER) AS preempted_ns, g.paused
FROM (SELECT (SELECT max(1, max(end_ns) / 500) FROM threads) AS ns) slot CROSS JOIN gaps g
     LEFT JOIN frames f ON f.id = g.frame_id
WHERE g.wall_ns < slot.ns
GROUP BY g.thread_id, f.function_id, g.start_ns / slot.ns, g.paused
ORDER BY total(g.wait_ns) + total(g.preempted_ns) DESC, 1, 2, 3, g.paused

-- statement: recording
-- Those that a timeline could show.
SELECT g.thread_id, f.function_id, c.depth, g.start_ns, g.wall_ns, g.call_id
FROM recording_gaps g LEFT JOIN calls c ON c.id = g.call_id LEFT JOIN frames f ON f.id = c.frame_id
WHERE g.wall_ns >= 10000
ORDER BY g.wall_ns DESC, g.id

-- statement: pauses
SELECT thread_id, call_id, start_ns, paused_ns
FROM pauses
ORDER BY paused_ns DESC, id
