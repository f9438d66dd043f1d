-- title:       Hot functions
-- question:    Where does processor time go, over many runs?
-- group:       Many runs
-- description: Functions by the processor time of their own code, summed up over the chosen runs.
-- advice:      A function with a large share in all runs repays work most. Compare sets of runs with regressions.
-- source:      flat profile, over runs
-- param:       runs = * | - | only these: KEY=VALUE or VALUE of a label, or a run; * = all
-- param:       min_share = 0 | % | leave out functions with less of the time
-- column:      function | - | demangled name
-- column:      file | - | where it is defined
-- column:      self_cpu_ns | ns | processor time in its own code
-- column:      share | % | of that of all functions in these runs
-- column:      self_per_call_ns | ns | the same a call
-- column:      calls | calls | in all of these runs
-- column:      runs | runs | that called it
-- column:      max_ns | ns | processor time of its slowest call
-- column:      module | - | program or library
-- gather some: uses single
SELECT function_id, count(*) AS runs_count, sum(calls) AS calls_sum, sum(self_cpu_ns) AS self_sum, max(max_ns) AS
       slowest_ns
FROM functions WHERE calls > 0 AND run_id IN (SELECT run_id FROM single)
GROUP BY function_id
-- gather most: uses batch
SELECT function_id, sum(called) AS runs_count, sum(calls) AS calls_sum, sum(self_cpu_ns) AS self_sum, max(max_ns) AS
       slowest_ns
FROM function_sums WHERE called > 0 AND batch_id IN (SELECT batch_id FROM batch)
GROUP BY function_id
-- local sums
SELECT function_id, sum(runs_count) AS runs_count, sum(calls_sum) AS calls_sum, sum(self_sum) AS self_sum,
       max(slowest_ns) AS slowest_ns
FROM (SELECT * FROM some UNION ALL SELECT * FROM most) GROUP BY function_id
-- gather named: uses sums
SELECT function_id, min(name) AS function_name, min(file) AS file_path, min(module) AS module_name
FROM names WHERE function_id IN (SELECT function_id FROM sums)
GROUP BY function_id
-- finish
WITH whole AS (SELECT sum(self_sum) AS self_sum FROM sums)
SELECT n.function_name AS function, file_name(n.file_path) AS file, s.self_sum AS self_cpu_ns,
       round(100.0 * s.self_sum / max(whole.self_sum, 1), 1) AS share,
       round(1.0 * s.self_sum / s.calls_sum, 1) AS self_per_call_ns,
       s.calls_sum AS calls, s.runs_count AS runs, s.slowest_ns AS max_ns, n.module_name AS module
FROM sums s JOIN named n ON n.function_id = s.function_id CROSS JOIN whole
WHERE 100.0 * s.self_sum >= coalesce(:min_share, 0) * whole.self_sum
ORDER BY s.self_sum DESC, s.calls_sum DESC, n.function_name, s.function_id
