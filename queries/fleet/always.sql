-- title:       Always
-- question:    Which findings hold in every run?
-- group:       Many runs
-- description: Inline candidates, proxies, functions with a single callee and arguments that never change, as
--              fisql query finds them in one run, that were found in every chosen run that called the function.
-- advice:      A finding of one run may be that run's doing; one that holds in many runs is safe to act on. Lower
--              min_percent to see what almost always holds: the runs that differ are the interesting ones.
-- source:      invariants over executions: Ernst et al., Daikon, 2001
-- param:       runs = * | - | only these: KEY=VALUE or VALUE of a label, or a run; * = all
-- param:       query = * | - | only findings of this one: inline-candidates, proxies, single-callee, constant-arguments
-- param:       min_runs = 2 | runs | leave out functions that fewer runs called
-- param:       min_percent = 100 | % | of the runs that called the function: found in at least so many
-- column:      function | - | demangled name
-- column:      file | - | where it is defined
-- column:      query | - | that found it
-- column:      detail | - | the caller, the target, the callee, or the argument and its value
-- column:      runs | runs | that called the function
-- column:      found_in | runs | in which that held
-- column:      calls | calls | in these
-- column:      module | - | program or library
-- gather found: uses chosen
SELECT query, function_id, detail, count(*) AS runs_found, sum(calls) AS calls_sum
FROM findings WHERE run_id IN (SELECT run_id FROM chosen)
GROUP BY query, function_id, detail
-- gather some: uses single found
SELECT function_id, count(*) AS runs_count
FROM functions WHERE calls > 0 AND run_id IN (SELECT run_id FROM single) AND function_id IN (SELECT function_id FROM found)
GROUP BY function_id
-- gather most: uses batch found
SELECT function_id, sum(called) AS runs_count
FROM function_sums WHERE batch_id IN (SELECT batch_id FROM batch) AND function_id IN (SELECT function_id FROM found)
GROUP BY function_id
-- local sums
SELECT function_id, sum(runs_count) AS runs_count
FROM (SELECT * FROM some UNION ALL SELECT * FROM most) GROUP BY function_id
-- gather named: uses sums
SELECT function_id, min(name) AS function_name, min(file) AS file_path, min(module) AS module_name
FROM names WHERE function_id IN (SELECT function_id FROM sums)
GROUP BY function_id
-- finish
SELECT n.function_name AS function, file_name(n.file_path) AS file, f.query, f.detail, s.runs_count AS runs,
       f.runs_found AS found_in, f.calls_sum AS calls, n.module_name AS module
FROM found f JOIN sums s ON s.function_id = f.function_id JOIN named n ON n.function_id = f.function_id
WHERE 100 * f.runs_found >= coalesce(:min_percent, 100) * s.runs_count AND s.runs_count >= coalesce(:min_runs, 2)
  AND (coalesce(:query, '*') = '*' OR f.query = :query)
ORDER BY f.calls_sum DESC, f.query, n.function_name, f.detail, f.function_id
