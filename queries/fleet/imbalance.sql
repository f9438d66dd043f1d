-- title:       Imbalance
-- question:    Which ranks of a parallel job do more than others?
-- group:       Many runs
-- description: Functions whose processor time differs between the ranks of one MPI job: the slowest rank's, and what the
--              job would gain if all took the mean.
-- advice:      Ranks wait for the slowest at each barrier. If one rank has most, divide the work otherwise; if
--              the time waited is uneven the other way round, it waits for others. Choose one job by its label.
-- source:      load imbalance: DeRose, Homer and Johnson, Detecting application load imbalance, 2007
-- param:       runs = * | - | the ranks of one job: KEY=VALUE or VALUE of a label; * = all
-- param:       min_share = 1 | % | leave out functions with less of the job's processor time
-- column:      function | - | demangled name
-- column:      file | - | where it is defined
-- column:      ranks | ranks | chosen
-- column:      mean_ns | ns | processor time in its own code, a rank
-- column:      max_ns | ns | of the slowest rank
-- column:      slowest_rank | - | its number, or its run where it has none
-- column:      lost_ns | ns | max less mean: what the other ranks may have to wait
-- column:      imbalance | % | 100 = one rank does all, 0 = all do the same
-- column:      min_calls | calls | of the rank with fewest
-- column:      max_calls | calls | of the rank with most
-- gather by_run: uses chosen
SELECT run_id, function_id, calls, self_cpu_ns
FROM functions WHERE calls > 0 AND run_id IN (SELECT run_id FROM chosen)
-- gather named: uses by_run
SELECT function_id, min(name) AS function_name, min(file) AS file_path
FROM names WHERE function_id IN (SELECT function_id FROM by_run)
GROUP BY function_id
-- finish
WITH size AS (SELECT count(*) AS ranks FROM chosen),
     whole AS (SELECT sum(self_cpu_ns) AS self_sum FROM by_run),
     placed AS (
       SELECT b.*, coalesce(l.value, r.run) AS rank, row_number() OVER (
                PARTITION BY b.function_id ORDER BY b.self_cpu_ns DESC, r.run) AS place
       FROM by_run b JOIN runs r ON r.run_id = b.run_id LEFT JOIN labels l ON l.run_id = b.run_id AND l.key = 'rank'),
     sums AS (
       SELECT function_id, sum(self_cpu_ns) AS self_sum, max(self_cpu_ns) AS self_max, count(*) AS have,
              max(CASE place WHEN 1 THEN rank END) AS rank, min(calls) AS calls_min, max(calls) AS calls_max
       FROM placed GROUP BY function_id)
SELECT n.function_name AS function, file_name(n.file_path) AS file, size.ranks, s.self_sum / size.ranks AS mean_ns,
       s.self_max AS max_ns, s.rank AS slowest_rank, s.self_max - s.self_sum / size.ranks AS lost_ns,
       round(100.0 * (s.self_max - 1.0 * s.self_sum / size.ranks) * size.ranks / (s.self_max * max(size.ranks - 1, 1)),
             1) AS imbalance,
       CASE WHEN s.have < size.ranks THEN 0 ELSE s.calls_min END AS min_calls, s.calls_max AS max_calls
FROM sums s JOIN named n ON n.function_id = s.function_id CROSS JOIN size CROSS JOIN whole
WHERE size.ranks > 1 AND s.self_max > 0 AND 100.0 * s.self_sum >= coalesce(:min_share, 1) * whole.self_sum
ORDER BY lost_ns DESC, n.function_name, s.function_id
