-- title:       Rare paths
-- question:    Which calling contexts occur in few runs only?
-- group:       Many runs
-- description: Calling contexts that few of the chosen runs reached, although more of them called the function: paths through
--              the program that may deserve a test of their own.
-- advice:      The special failures of one host in a hundred come from a path that only it takes. Of a rare path only
--              the outermost context is listed: what it called is rare with it.
-- source:      rare execution paths: Liblit et al., Scalable Statistical Bug Isolation, 2005
-- param:       runs = * | - | only these: KEY=VALUE or VALUE of a label, or a run; * = all
-- param:       max_percent = 10 | % | of the runs: contexts that at most so many reached (but always those of one run)
-- column:      stack | stack | calls, outermost first
-- column:      runs | runs | that reached the context
-- column:      of_runs | runs | chosen
-- column:      calls | calls | in the context
-- column:      self_cpu_ns | ns | processor time of its own code there
-- column:      last_run | - | the newest run that reached it
-- gather some: uses single
SELECT context_id, count(*) AS runs_count, sum(calls) AS calls_sum, sum(self_cpu_ns) AS self_sum
FROM contexts WHERE run_id IN (SELECT run_id FROM single)
GROUP BY context_id
-- gather most: uses batch
SELECT context_id, sum(runs) AS runs_count, sum(calls) AS calls_sum, sum(self_cpu_ns) AS self_sum
FROM context_sums WHERE batch_id IN (SELECT batch_id FROM batch)
GROUP BY context_id
-- local reached
SELECT context_id, sum(runs_count) AS runs_count, sum(calls_sum) AS calls_sum, sum(self_sum) AS self_sum
FROM (SELECT * FROM some UNION ALL SELECT * FROM most) GROUP BY context_id
-- local rare
SELECT context_id, runs_count, calls_sum, self_sum FROM reached
WHERE (SELECT count(*) FROM chosen) > 1
  AND runs_count <= max(1, coalesce(:max_percent, 10) * (SELECT count(*) FROM chosen) / 100)
  AND runs_count < (SELECT count(*) FROM chosen)
-- gather told: uses rare
SELECT context_id, min(stack) AS stack_text FROM stacks WHERE context_id IN (SELECT context_id FROM rare) GROUP BY context_id
-- gather seen: uses rare chosen
SELECT context_id, run_id
FROM contexts WHERE run_id IN (SELECT run_id FROM chosen) AND context_id IN (SELECT context_id FROM rare)
-- finish
WITH last AS (
       SELECT s.context_id, r.run, row_number() OVER (PARTITION BY s.context_id ORDER BY r.recorded DESC, r.run) AS number
       FROM seen s JOIN runs r ON r.run_id = s.run_id),
     rows AS MATERIALIZED (
       SELECT t.stack_text AS stack, r.runs_count AS runs, r.calls_sum AS calls, r.self_sum AS self_cpu_ns, l.run AS last_run
       FROM rare r JOIN told t ON t.context_id = r.context_id JOIN last l ON l.context_id = r.context_id AND l.number = 1)
SELECT stack, runs, (SELECT count(*) FROM chosen) AS of_runs, calls, self_cpu_ns, last_run
FROM rows
WHERE NOT EXISTS (SELECT 1 FROM rows o WHERE o.stack = stack_parent(rows.stack))
ORDER BY runs, self_cpu_ns DESC, calls DESC, stack, last_run
