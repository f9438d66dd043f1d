SELECT id, coalesce(call_id, 0) AS call_id, coalesce(context(frame_id), 0) AS context_id, thread_id, kind, size,
       alloc_ns, coalesce(free_ns, -1) AS free_ns
FROM allocs
