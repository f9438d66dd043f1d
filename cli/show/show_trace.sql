-- The statements of show_trace.c: what a thread did in a span of time.

-- statement: allocs
SELECT alloc_ns, call_id, kind, size, free_ns, id
FROM allocs
WHERE thread_id = ?1 AND call_id IS NOT NULL AND alloc_ns >= ?2 AND alloc_ns < ?3
ORDER BY id

-- statement: marks
SELECT ns, call_id, text, mark
FROM trace_marks
WHERE thread_id = ?1 AND ns >= ?2 AND ns < ?3
ORDER BY ns, number, id
