-- The statements of the exports: what a thread (?1) did from ?2 to ?3.

-- statement: faults
SELECT ns, text
FROM fault_marks
WHERE thread_id = ?1 AND ns BETWEEN ?2 AND ?3
ORDER BY id

-- statement: recording
SELECT call_id, start_ns, wall_ns
FROM recording_gaps
WHERE thread_id = ?1 AND start_ns + wall_ns > ?2 AND start_ns < ?3
ORDER BY start_ns

-- statement: memory
-- Thread 0: the whole run.
SELECT end_ns, live_bytes
FROM memory_steps
WHERE thread_id = ?1 AND end_ns BETWEEN ?2 AND ?3
ORDER BY step

-- statement: allocs
SELECT frame_id, sum(size)
FROM allocs
WHERE frame_id IS NOT NULL AND thread_id = ?1 AND alloc_ns >= ?2 AND alloc_ns < ?3
GROUP BY 1

-- statement: gaps
SELECT frame_id, sum(wait_ns), sum(preempted_ns)
FROM gaps
WHERE frame_id IS NOT NULL AND NOT paused AND thread_id = ?1 AND start_ns >= ?2 AND start_ns < ?3
GROUP BY 1
