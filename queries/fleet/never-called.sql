-- title:       Never called
-- question:    Which functions did no run call, or only few?
-- group:       Many runs
-- description: Functions with hooks that were called in none of the chosen runs, and, with max_runs, in few of them.
-- advice:      A function that no run of months calls is dead, or waits for a case that no run had: an error, another option.
--              One run's dead-code cannot show that; runs of all tests and hosts can. A function counts for the runs whose
--              program has it, so one that a build added is judged by the runs since then.
-- source:      coverage, merged over runs
-- param:       runs = * | - | only these: KEY=VALUE or VALUE of a label, or a run; * = all
-- param:       max_runs = 0 | runs | also functions that at most so many runs called
-- param:       min_runs = 1 | runs | leave out functions that fewer runs have
-- column:      function | - | demangled name
-- column:      file | - | where it is defined
-- column:      runs | runs | whose program has it
-- column:      called_in | runs | that called it
-- column:      calls | calls | in these
-- column:      module | - | program or library
-- gather some: uses single
SELECT function_id, count(*) AS runs_count, sum(CASE WHEN calls > 0 THEN 1 ELSE 0 END) AS called_count, sum(calls) AS
       calls_sum
FROM functions WHERE run_id IN (SELECT run_id FROM single)
GROUP BY function_id
-- gather most: uses batch
SELECT function_id, sum(runs) AS runs_count, sum(called) AS called_count, sum(calls) AS calls_sum
FROM function_sums WHERE batch_id IN (SELECT batch_id FROM batch)
GROUP BY function_id
-- local sums
SELECT function_id, sum(runs_count) AS runs_count, sum(called_count) AS called_count, sum(calls_sum) AS calls_sum
FROM (SELECT * FROM some UNION ALL SELECT * FROM most) GROUP BY function_id
-- gather named: uses sums
SELECT function_id, min(name) AS function_name, min(file) AS file_path, min(module) AS module_name, min(own) AS own_code
FROM names WHERE function_id IN (SELECT function_id FROM sums)
GROUP BY function_id
-- finish
SELECT n.function_name AS function, n.file_path AS file, s.runs_count AS runs, s.called_count AS called_in,
       s.calls_sum AS calls, n.module_name AS module
FROM sums s JOIN named n ON n.function_id = s.function_id
WHERE s.called_count <= coalesce(:max_runs, 0) AND s.runs_count >= coalesce(:min_runs, 1) AND n.own_code = 1
ORDER BY s.called_count, n.file_path, n.function_name, s.function_id
