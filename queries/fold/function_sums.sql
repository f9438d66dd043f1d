SELECT function_id, count(*) AS runs_count, sum(CASE WHEN calls > 0 THEN 1 ELSE 0 END) AS called_count,
       sum(calls) AS calls_sum, min(calls) AS calls_least, max(calls) AS calls_most, sum(finished) AS finished_sum,
       sum(cpu_ns) AS cpu_sum, sum(self_cpu_ns) AS self_sum, sum(self_log2) AS log_sum, sum(self_log2 * self_log2) AS log_squares,
       max(max_ns) AS slowest_ns, sum(alloc_bytes) AS bytes_sum, min(alloc_bytes) AS bytes_least, max(alloc_bytes) AS bytes_most,
       sum(not_freed_bytes) AS lost_sum, min(not_freed_bytes) AS lost_least, max(not_freed_bytes) AS lost_most
FROM functions WHERE run_id IN (SELECT run_id FROM folding)
GROUP BY function_id
