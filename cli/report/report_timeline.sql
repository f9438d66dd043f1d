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
