SELECT context(id) AS context_id, sum(calls) AS calls, sum(total_ns) AS total_ns, sum(self_cpu_ns) AS self_cpu_ns,
       sum(allocs) AS allocs, sum(alloc_bytes) AS alloc_bytes
FROM frames
GROUP BY 1
