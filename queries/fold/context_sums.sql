SELECT context_id, count(*) AS runs_count, sum(calls) AS calls_sum, sum(self_cpu_ns) AS self_sum
FROM contexts WHERE run_id IN (SELECT run_id FROM folding)
GROUP BY context_id
