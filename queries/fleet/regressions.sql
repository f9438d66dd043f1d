-- title:       Regressions
-- question:    What differs between two sets of runs?
-- group:       Many runs
-- description: Functions whose processor time, calls, allocations or blocks not freed differ between two sets of runs by
--              more than they differ within them. Times: Welch's t-test on their logarithms. Counts, exactly: the
--              probability that so many runs of the one set all lie above those of the other by chance. Of each of
--              the four measures, the share of false rows is kept below q (Benjamini and Hochberg).
-- advice:      Record the two sets alternately on one machine: what the machine does differently later is a
--              difference, too. With fewer than 7 runs on each side no count can be distinguished from chance. A
--              function that is slower often calls one that is: begin with the largest change.
-- source:      Welch 1947; Benjamini and Hochberg 1995; a count that is the same in all runs shows nothing and is not
--              tested (Tarone 1990)
-- param:       before = - | - | the one set: KEY=VALUE or VALUE of a label, or a run
-- param:       after = - | - | the other one
-- param:       q = 0.001 | - | share of false rows that is allowed
-- param:       min_percent = 2 | % | leave out times that changed by less
-- param:       min_share = 0.5 | % | functions that take less of a run's processor time are not tested for time
-- param:       worse = 0 | 0/1 | 1 = only what became more
-- column:      function | - | demangled name
-- column:      file | - | where it is defined
-- column:      measure | - | self_cpu_ns, calls, alloc_bytes or not_freed_bytes
-- column:      before | - | of a run, on the average: times in nanoseconds (geometric mean), counts
-- column:      after | - | the same of the other set
-- column:      change | % | after against before; empty where there was none before
-- column:      p | - | probability of such a difference by chance
-- column:      q | - | the same adjusted for the number of functions tested
-- column:      runs_before | runs | of the first set that have the function
-- column:      runs_after | runs | of the other set that have it
-- column:      module | - | program or library
-- gather old_some: uses single
SELECT function_id, count(*) AS runs_count, sum(self_cpu_ns) AS time_sum, sum(self_log2) AS log_sum,
       sum(self_log2 * self_log2) AS log_squares,
       sum(calls) AS calls_sum, min(calls) AS calls_least, max(calls) AS calls_most,
       sum(alloc_bytes) AS bytes_sum, min(alloc_bytes) AS bytes_least, max(alloc_bytes) AS bytes_most,
       sum(not_freed_bytes) AS lost_sum, min(not_freed_bytes) AS lost_least, max(not_freed_bytes) AS lost_most
FROM functions WHERE run_id IN (SELECT run_id FROM single WHERE side = 1)
GROUP BY function_id
-- gather old_most: uses batch
SELECT function_id, sum(runs) AS runs_count, sum(self_cpu_ns) AS time_sum, sum(self_log2) AS log_sum,
       sum(self_log2_squares) AS log_squares,
       sum(calls) AS calls_sum, min(calls_min) AS calls_least, max(calls_max) AS calls_most,
       sum(alloc_bytes) AS bytes_sum, min(alloc_bytes_min) AS bytes_least, max(alloc_bytes_max) AS bytes_most,
       sum(not_freed_bytes) AS lost_sum, min(not_freed_bytes_min) AS lost_least, max(not_freed_bytes_max) AS lost_most
FROM function_sums WHERE batch_id IN (SELECT batch_id FROM batch WHERE side = 1)
GROUP BY function_id
-- local old
SELECT function_id, sum(runs_count) AS runs_count, sum(time_sum) AS time_sum, sum(log_sum) AS log_sum,
       sum(log_squares) AS log_squares,
       sum(calls_sum) AS calls_sum, min(calls_least) AS calls_least, max(calls_most) AS calls_most,
       sum(bytes_sum) AS bytes_sum, min(bytes_least) AS bytes_least, max(bytes_most) AS bytes_most,
       sum(lost_sum) AS lost_sum, min(lost_least) AS lost_least, max(lost_most) AS lost_most
FROM (SELECT * FROM old_some UNION ALL SELECT * FROM old_most) GROUP BY function_id
-- gather new_some: uses single
SELECT function_id, count(*) AS runs_count, sum(self_cpu_ns) AS time_sum, sum(self_log2) AS log_sum,
       sum(self_log2 * self_log2) AS log_squares,
       sum(calls) AS calls_sum, min(calls) AS calls_least, max(calls) AS calls_most,
       sum(alloc_bytes) AS bytes_sum, min(alloc_bytes) AS bytes_least, max(alloc_bytes) AS bytes_most,
       sum(not_freed_bytes) AS lost_sum, min(not_freed_bytes) AS lost_least, max(not_freed_bytes) AS lost_most
FROM functions WHERE run_id IN (SELECT run_id FROM single WHERE side = 2)
GROUP BY function_id
-- gather new_most: uses batch
SELECT function_id, sum(runs) AS runs_count, sum(self_cpu_ns) AS time_sum, sum(self_log2) AS log_sum,
       sum(self_log2_squares) AS log_squares,
       sum(calls) AS calls_sum, min(calls_min) AS calls_least, max(calls_max) AS calls_most,
       sum(alloc_bytes) AS bytes_sum, min(alloc_bytes_min) AS bytes_least, max(alloc_bytes_max) AS bytes_most,
       sum(not_freed_bytes) AS lost_sum, min(not_freed_bytes_min) AS lost_least, max(not_freed_bytes_max) AS lost_most
FROM function_sums WHERE batch_id IN (SELECT batch_id FROM batch WHERE side = 2)
GROUP BY function_id
-- local new
SELECT function_id, sum(runs_count) AS runs_count, sum(time_sum) AS time_sum, sum(log_sum) AS log_sum,
       sum(log_squares) AS log_squares,
       sum(calls_sum) AS calls_sum, min(calls_least) AS calls_least, max(calls_most) AS calls_most,
       sum(bytes_sum) AS bytes_sum, min(bytes_least) AS bytes_least, max(bytes_most) AS bytes_most,
       sum(lost_sum) AS lost_sum, min(lost_least) AS lost_least, max(lost_most) AS lost_most
FROM (SELECT * FROM new_some UNION ALL SELECT * FROM new_most) GROUP BY function_id
-- local sides
SELECT coalesce(sum(side = 1), 0) AS before_runs, coalesce(sum(side = 2), 0) AS after_runs FROM chosen
-- local sums
SELECT coalesce(a.function_id, b.function_id) AS function_id, s.before_runs, s.after_runs,
       coalesce(a.runs_count, 0) AS before_have, coalesce(b.runs_count, 0) AS after_have,
       a.time_sum AS before_time, a.log_sum AS before_log, a.log_squares AS before_squares,
       b.time_sum AS after_time, b.log_sum AS after_log, b.log_squares AS after_squares,
       a.calls_sum AS before_calls, a.calls_least AS before_calls_min, a.calls_most AS before_calls_max,
       b.calls_sum AS after_calls, b.calls_least AS after_calls_min, b.calls_most AS after_calls_max,
       a.bytes_sum AS before_bytes, a.bytes_least AS before_bytes_min, a.bytes_most AS before_bytes_max,
       b.bytes_sum AS after_bytes, b.bytes_least AS after_bytes_min, b.bytes_most AS after_bytes_max,
       a.lost_sum AS before_lost, a.lost_least AS before_lost_min, a.lost_most AS before_lost_max,
       b.lost_sum AS after_lost, b.lost_least AS after_lost_min, b.lost_most AS after_lost_max
FROM old a FULL JOIN new b ON b.function_id = a.function_id CROSS JOIN sides s
-- local named_ids
SELECT function_id FROM sums
-- gather named: uses named_ids
SELECT function_id, min(name) AS function_name, min(file) AS file_path, min(module) AS module_name
FROM names WHERE function_id IN (SELECT function_id FROM named_ids)
GROUP BY function_id
-- finish
WITH every(measure, function_id, before_have, after_have, before_runs, after_runs, before_sum, after_sum,
           before_min, before_max, after_min, after_max) AS (
       SELECT 'calls', function_id, before_have, after_have, before_runs, after_runs, before_calls, after_calls,
              before_calls_min, before_calls_max, after_calls_min, after_calls_max FROM sums
       UNION ALL
       SELECT 'alloc_bytes', function_id, before_have, after_have, before_runs, after_runs, before_bytes, after_bytes,
              before_bytes_min, before_bytes_max, after_bytes_min, after_bytes_max FROM sums
       UNION ALL
       SELECT 'not_freed_bytes', function_id, before_have, after_have, before_runs, after_runs, before_lost, after_lost,
              before_lost_min, before_lost_max, after_lost_min, after_lost_max FROM sums),
     counts AS ( -- a run that does not have the function called it no times
       SELECT measure, function_id, before_have, after_have, before_runs, after_runs,
              1.0 * coalesce(before_sum, 0) / before_runs AS before, 1.0 * coalesce(after_sum, 0) / after_runs AS after,
              CASE WHEN before_have < before_runs THEN 0 ELSE before_min END AS before_min, coalesce(before_max, 0) AS before_max,
              CASE WHEN after_have < after_runs THEN 0 ELSE after_min END AS after_min, coalesce(after_max, 0) AS after_max
       FROM every WHERE before_runs > 0 AND after_runs > 0),
     whole AS (
       SELECT sum(1.0 * coalesce(before_time, 0) + coalesce(after_time, 0)) / max(max(before_runs) + max(after_runs), 1) AS run_ns
       FROM sums),
     tested(measure, function_id, before_have, after_have, before, after, p) AS (
       SELECT measure, function_id, before_have, after_have, before, after,
              CASE WHEN before_max < after_min OR after_max < before_min
                   THEN separated_p(before_runs, after_runs) ELSE 1.0 END
       FROM counts WHERE min(before_min, after_min) < max(before_max, after_max)
       UNION ALL
       SELECT 'self_cpu_ns', function_id, before_have, after_have, fixed_exp2(1.0 * before_log / before_have),
              fixed_exp2(1.0 * after_log / after_have),
              welch_p(before_have, 1.0 * before_log / before_have,
                      max(before_squares - 1.0 * before_log * before_log / before_have, 0),
                      after_have, 1.0 * after_log / after_have,
                      max(after_squares - 1.0 * after_log * after_log / after_have, 0))
       FROM sums CROSS JOIN whole
       WHERE before_have >= 2 AND after_have >= 2
         AND 100.0 * (before_time / before_have + after_time / after_have) / 2 >= coalesce(:min_share, 0.5) * whole.run_ns),
     ranked AS (
       SELECT *, count(*) OVER (PARTITION BY measure) AS tests,
              row_number() OVER (PARTITION BY measure ORDER BY p, function_id) AS place
       FROM tested WHERE p IS NOT NULL),
     adjusted AS (
       SELECT *, min(1.0, min(p * tests / place) OVER (PARTITION BY measure ORDER BY place DESC)) AS q FROM ranked)
SELECT n.function_name AS function, file_name(n.file_path) AS file, a.measure, round(a.before, 1) AS before,
       round(a.after, 1) AS after,
       round(100.0 * (a.after - a.before) / nullif(a.before, 0), 1) AS change,
       significant(a.p) AS p, significant(a.q) AS q, a.before_have AS runs_before, a.after_have AS runs_after,
       n.module_name AS module
FROM adjusted a JOIN named n ON n.function_id = a.function_id
WHERE a.q <= coalesce(:q, 0.001)
  AND (a.measure <> 'self_cpu_ns' OR 100.0 * abs(a.after - a.before) >= coalesce(:min_percent, 2) * a.before)
  AND (coalesce(:worse, 0) = 0 OR a.after > a.before)
ORDER BY a.measure = 'self_cpu_ns', a.measure, abs(a.after - a.before) DESC, n.function_name, a.function_id
