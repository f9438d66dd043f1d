-- title:       Outliers
-- question:    Which run has the one slow call?
-- group:       Many runs
-- description: For each function its slowest call over all chosen runs, if that took many times the mean of all
--              calls, with the run, its host and the stack.
-- advice:      Pull the run and look at the call: fisql pull, then fisql stack or fisql trace, if it was pushed with
--              --calls. A slow first call is often a cache filled, a page fault, another program on the machine.
-- source:      tail latency: Dean and Barroso, The Tail at Scale, 2013
-- param:       runs = * | - | only these: KEY=VALUE or VALUE of a label, or a run; * = all
-- param:       factor = 10 | - | leave out calls that took less than so many times the mean
-- param:       min_ns = 10000 | ns | leave out calls that took less
-- column:      function | - | demangled name
-- column:      max_ns | ns | processor time of its slowest call
-- column:      mean_ns | ns | mean of all its calls, callees included
-- column:      factor | - | the former by the latter
-- column:      run | - | that has the call
-- column:      host | - | where that ran
-- column:      stack | stack | calls that led there, outermost first
-- column:      call | id | calls.id in that run's database
-- column:      calls | calls | in all of these runs
-- gather some: uses single
SELECT function_id, sum(finished) AS finished_sum, sum(cpu_ns) AS cpu_sum, max(max_ns) AS worst_ns
FROM functions WHERE run_id IN (SELECT run_id FROM single)
GROUP BY function_id
-- gather most: uses batch
SELECT function_id, sum(finished) AS finished_sum, sum(cpu_ns) AS cpu_sum, max(max_ns) AS worst_ns
FROM function_sums WHERE batch_id IN (SELECT batch_id FROM batch)
GROUP BY function_id
-- local sums
SELECT function_id, sum(finished_sum) AS finished_sum, sum(cpu_sum) AS cpu_sum, max(worst_ns) AS worst_ns
FROM (SELECT * FROM some UNION ALL SELECT * FROM most) GROUP BY function_id
HAVING max(worst_ns) >= coalesce(:min_ns, 10000)
   AND 1.0 * max(worst_ns) * sum(finished_sum) >= coalesce(:factor, 10) * sum(cpu_sum)
-- local worst
SELECT function_id, worst_ns FROM sums
-- gather slow: uses worst chosen
SELECT run_id, function_id, context_id, cpu_ns, call_id
FROM slowest
WHERE place = 1 AND function_id IN (SELECT function_id FROM worst) AND run_id IN (SELECT run_id FROM chosen)
  AND (function_id, cpu_ns) IN (SELECT function_id, worst_ns FROM worst)
-- gather told: uses slow
SELECT context_id, min(stack) AS stack_text FROM stacks WHERE context_id IN (SELECT context_id FROM slow) GROUP BY context_id
-- gather named: uses worst
SELECT function_id, min(name) AS function_name
FROM names WHERE function_id IN (SELECT function_id FROM worst)
GROUP BY function_id
-- finish
WITH one AS (
       SELECT s.*, r.run, r.host, row_number() OVER (PARTITION BY s.function_id ORDER BY r.recorded, r.run) AS number
       FROM slow s JOIN runs r ON r.run_id = s.run_id)
SELECT n.function_name AS function, o.cpu_ns AS max_ns, round(1.0 * s.cpu_sum / s.finished_sum, 1) AS mean_ns,
       round(1.0 * o.cpu_ns * s.finished_sum / max(s.cpu_sum, 1), 1) AS factor, o.run, o.host,
       coalesce(t.stack_text, '') AS stack, o.call_id AS call, s.finished_sum AS calls
FROM one o JOIN sums s ON s.function_id = o.function_id JOIN named n ON n.function_id = o.function_id
     LEFT JOIN told t ON t.context_id = o.context_id
WHERE o.number = 1
ORDER BY o.cpu_ns DESC, n.function_name, o.function_id
