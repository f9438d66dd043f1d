-- title:       Coverage
-- question:    How much of each file was called, in any run?
-- group:       Many runs
-- description: For each source file, how many of its functions with hooks were called in at least one of the chosen
--              runs, and in all of them.
-- advice:      Functions that no run calls are listed by never-called. A function counts once, whatever builds have it.
-- source:      function coverage, merged over runs
-- param:       runs = * | - | only these: KEY=VALUE or VALUE of a label, or a run; * = all
-- column:      file | - | source file
-- column:      module | - | program or library
-- column:      functions | functions | with hooks
-- column:      called | functions | called in at least one run
-- column:      percent | % | called of functions
-- column:      in_all | functions | called in every run that has them
-- column:      calls | calls | of the file's functions in all of these runs
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
SELECT function_id, min(file) AS file_path, min(module) AS module_name, min(own) AS own_code
FROM names WHERE function_id IN (SELECT function_id FROM sums)
GROUP BY function_id
-- finish
SELECT n.file_path AS file, n.module_name AS module, count(*) AS functions, sum(s.called_count > 0) AS called,
       round(100.0 * sum(s.called_count > 0) / count(*), 1) AS percent, sum(s.called_count = s.runs_count) AS in_all,
       sum(s.calls_sum) AS calls
FROM sums s JOIN named n ON n.function_id = s.function_id
WHERE n.own_code = 1
GROUP BY n.file_path, n.module_name
ORDER BY percent, functions DESC, file, module
