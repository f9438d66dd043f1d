-- title:       Trend
-- question:    How did functions change over builds or days?
-- group:       Many runs
-- description: Functions by the value of a label, such as commit, version, build or day: what one run took, called and
--              allocated on the average, oldest value first. The functions with most time, or those named.
-- advice:      Look for the step, then compare the two sides of it with regressions, which distinguishes chance from change.
-- source:      time series of means
-- param:       runs = * | - | only these: KEY=VALUE or VALUE of a label, or a run; * = all
-- param:       by = day | - | key of the label that groups runs
-- param:       function = * | pattern | only functions of this name (GLOB)
-- param:       top = 5 | functions | without a name: so many, those with most processor time
-- column:      function | - | demangled name
-- column:      value | - | of the label
-- column:      runs | runs | with that value that called it
-- column:      self_cpu_ns | ns | processor time in its own code, a run
-- column:      change | % | against the value before
-- column:      calls | calls | a run
-- column:      alloc_bytes | bytes | allocated by its own code, a run
-- column:      not_freed_bytes | bytes | a run
-- column:      first_recorded | - | when the first run with that value was recorded
-- gather some: uses single
SELECT function_id, sum(self_cpu_ns) AS self_sum
FROM functions WHERE calls > 0 AND run_id IN (SELECT run_id FROM single)
GROUP BY function_id
-- gather most: uses batch
SELECT function_id, sum(self_cpu_ns) AS self_sum
FROM function_sums WHERE called > 0 AND batch_id IN (SELECT batch_id FROM batch)
GROUP BY function_id
-- local sums
SELECT function_id, sum(self_sum) AS self_sum
FROM (SELECT * FROM some UNION ALL SELECT * FROM most) GROUP BY function_id
-- gather named: uses sums
SELECT function_id, min(name) AS function_name
FROM names WHERE function_id IN (SELECT function_id FROM sums)
GROUP BY function_id
-- local wanted
SELECT function_id, function_name
FROM (SELECT s.function_id, n.function_name, row_number() OVER (ORDER BY s.self_sum DESC, n.function_name, s.function_id) AS place
      FROM sums s JOIN named n ON n.function_id = s.function_id
      WHERE n.function_name GLOB coalesce(:function, '*'))
WHERE coalesce(:function, '*') <> '*' OR place <= coalesce(:top, 5)
-- gather by_run: uses chosen wanted
SELECT run_id, function_id, calls, self_cpu_ns, alloc_bytes, not_freed_bytes
FROM functions
WHERE calls > 0 AND run_id IN (SELECT run_id FROM chosen) AND function_id IN (SELECT function_id FROM wanted)
-- finish
WITH first AS (
       SELECT l.value, min(r.recorded) AS recorded
       FROM labels l JOIN runs r ON r.run_id = l.run_id JOIN chosen c ON c.run_id = r.run_id
       WHERE l.key = coalesce(:by, 'day') GROUP BY l.value),
     grouped AS (
       SELECT b.function_id, w.function_name, l.value, f.recorded, count(*) AS runs, sum(b.self_cpu_ns) AS self_sum,
              sum(b.calls) AS calls_sum, sum(b.alloc_bytes) AS bytes_sum, sum(b.not_freed_bytes) AS lost_sum
       FROM by_run b JOIN labels l ON l.run_id = b.run_id AND l.key = coalesce(:by, 'day')
            JOIN first f ON f.value = l.value JOIN wanted w ON w.function_id = b.function_id
       GROUP BY b.function_id, l.value),
     means AS (
       SELECT *, 1.0 * self_sum / runs AS mean,
              lag(1.0 * self_sum / runs) OVER (PARTITION BY function_id ORDER BY recorded, value) AS before
       FROM grouped)
SELECT function_name AS function, value, runs, CAST(round(mean) AS INTEGER) AS self_cpu_ns,
       round(100.0 * (mean - before) / nullif(before, 0), 1) AS change, round(1.0 * calls_sum / runs, 1) AS calls,
       round(1.0 * bytes_sum / runs, 1) AS alloc_bytes, round(1.0 * lost_sum / runs, 1) AS not_freed_bytes,
       datetime(recorded, 'unixepoch') AS first_recorded
FROM means
ORDER BY function_name, function_id, recorded, value
