WITH lost AS (
       SELECT p.function_id, sum(a.blocks - a.freed_blocks) AS blocks, sum(a.bytes - a.freed_bytes) AS bytes
       FROM alloc_stacks a JOIN alloc_places p ON p.stack_id = a.id AND p.wrappers = 0
       WHERE a.id NOT IN (SELECT stack_id FROM kept_stacks)
       GROUP BY p.function_id),
     sums AS (
       SELECT stable(f.stable_id) AS function_id, coalesce(sum(s.calls), 0) AS calls,
              coalesce(sum(s.finished), 0) AS finished, coalesce(sum(s.total_ns), 0) AS total_ns,
              coalesce(sum(s.cpu_ns), 0) AS cpu_ns, coalesce(sum(s.self_ns), 0) AS self_ns,
              coalesce(sum(s.self_cpu_ns), 0) AS self_cpu_ns, coalesce(sum(s.self_wait_ns), 0) AS self_wait_ns,
              coalesce(max(s.max_ns), 0) AS max_ns, coalesce(sum(s.allocs), 0) AS allocs,
              coalesce(sum(s.alloc_bytes), 0) AS alloc_bytes, coalesce(sum(s.frees), 0) AS frees,
              coalesce(sum(s.free_bytes), 0) AS free_bytes, coalesce(sum(l.blocks), 0) AS not_freed_blocks,
              coalesce(sum(l.bytes), 0) AS not_freed_bytes
       FROM functions f LEFT JOIN function_stats s ON s.function_id = f.id LEFT JOIN lost l ON l.function_id = f.id
       WHERE f.instrumented OR s.calls > 0
       GROUP BY 1)
SELECT function_id, calls, finished, total_ns, cpu_ns, self_ns, self_cpu_ns, log2_fixed(self_cpu_ns) AS self_log2,
       self_wait_ns, max_ns, allocs, alloc_bytes, frees, free_bytes, not_freed_blocks, not_freed_bytes
FROM sums
