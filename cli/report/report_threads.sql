-- The statements of report_threads.c.

-- statement: gaps
SELECT frame_id, sum(wait_ns), sum(preempted_ns)
FROM gaps
WHERE thread_id = ?1 AND frame_id IS NOT NULL AND NOT paused
GROUP BY frame_id

-- statement: threads
SELECT id, first_call_id, last_call_id
FROM threads
WHERE calls > 0 AND first_call_id IS NOT NULL
ORDER BY calls DESC, id
LIMIT ?1
