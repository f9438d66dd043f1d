-- The statements of report_frames.c.

-- statement: frames
SELECT id, coalesce(parent_id, 0), function_id, coalesce(site_id, 0), raw_self_ns, calls, alloc_bytes, self_cpu_ns,
       self_wait_ns, self_preempted_ns, first_ns
FROM frames
ORDER BY id
