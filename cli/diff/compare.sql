-- The statements of compare.c. It puts names of schemas and expressions of names in the places of %s.

-- statement: side
-- The functions of one run. A function is matched by its full name (or the linker's, if that was chosen): short names
-- depend on what else there is. `shown` is its name in the style. Several functions of one name and file are one row,
-- with the sum of squares around their common mean.
CREATE TEMP TABLE %s AS
WITH every AS (
       SELECT %s AS name, %s AS shown, coalesce(files.name, m.name, '') AS file,
              coalesce(files.name || ':' || f.line, m.name, '?') AS location, u.name AS mapped, m.name AS library, s.*
       FROM %s.function_stats s JOIN %s.functions f ON f.id = s.function_id
            LEFT JOIN %s.files ON files.id = f.file_id
            LEFT JOIN %s.modules m ON m.id = f.module_id
            LEFT JOIN %s.mapped_functions u ON u.function_id = f.id
       WHERE s.calls > 0)
SELECT name, file, min(location) AS location, min(shown) AS shown, sum(calls) AS calls, sum(total_ns) AS total_ns,
       sum(self_ns) AS self_ns, sum(cpu_ns) AS cpu_ns, sum(self_cpu_ns) AS self_cpu_ns, sum(wait_ns) AS wait_ns,
       sum(self_wait_ns) AS self_wait_ns, sum(finished) AS finished,
       sum(finished * mean_ns) / nullif(sum(finished), 0) AS mean_ns,
       CASE count(*) WHEN 1 THEN sum(m2)
            ELSE sum(m2) + sum(finished * mean_ns * mean_ns)
                 - sum(finished * mean_ns) * sum(finished * mean_ns) / nullif(sum(finished), 0) END AS m2,
       max(max_ns) AS max_ns, file AS own_file, sum(raw_total_ns - total_ns) * 1.0 / sum(calls) AS hooks_ns,
       sum(allocs) AS allocs, sum(alloc_bytes) AS alloc_bytes, min(mapped) AS mapped, min(library) AS library
FROM every
GROUP BY name, file

-- statement: renamed
CREATE INDEX temp.a_name ON a(name);
CREATE INDEX temp.b_name ON b(name);
UPDATE temp.b
SET file = (SELECT a.file FROM temp.a WHERE a.name = b.name)
WHERE NOT EXISTS (SELECT 1 FROM temp.a WHERE a.name = b.name AND a.file = b.file)
      AND (SELECT count(*) FROM temp.a WHERE a.name = b.name) = 1
      AND (SELECT count(*) FROM temp.b AS other WHERE other.name = b.name) = 1

-- statement: ranks
-- Histograms of both runs' durations, and the rank-sum test on them (Mann & Whitney 1947; corrected for ties, which the
-- calls of a bucket are): z > 0 if B's calls take longer.
CREATE TEMP TABLE ranks AS
WITH named AS MATERIALIZED (
       SELECT f.id, f.file_id, f.module_id, %s AS name
       FROM other.functions f),
     every AS (
       SELECT %s AS name, coalesce(files.name, m.name, '') AS file, d.log2, d.count AS ca, 0 AS cb
       FROM main.durations d JOIN main.functions f ON f.id = d.function_id
            LEFT JOIN main.files ON files.id = f.file_id
            LEFT JOIN main.modules m ON m.id = f.module_id
       UNION ALL
       SELECT b.name, b.file, d.log2, 0, d.count
       FROM temp.b JOIN named f ON f.name = b.name
            LEFT JOIN other.files ON files.id = f.file_id
            LEFT JOIN other.modules m ON m.id = f.module_id
            JOIN other.durations d ON d.function_id = f.id
       WHERE coalesce(files.name, m.name, '') = b.own_file),
     buckets AS (
       SELECT name, file, log2, 1.0 * sum(ca) AS ca, 1.0 * sum(cb) AS cb
       FROM every
       GROUP BY 1, 2, 3),
     ranked AS (
       SELECT *, sum(ca + cb) OVER (PARTITION BY name, file ORDER BY log2) - ca - cb AS below
       FROM buckets),
     sums AS (
       SELECT name, file, sum(ca) AS n1, sum(cb) AS n2, sum(cb * (below + (ca + cb + 1) / 2)) AS ranks,
              sum((ca + cb) * (ca + cb) * (ca + cb) - ca - cb) AS ties
       FROM ranked
       GROUP BY 1, 2
       HAVING sum(ca) > 1 AND sum(cb) > 1)
SELECT name, file, rank_z(n1, n2, ranks, ties) AS z, rank_p(n1, n2, ranks, ties) AS p
FROM sums

-- statement: noise
-- What the two runs differ by without a reason: the machine's speed, and the layout of code and data. Of functions that
-- take long enough for the hooks' error not to matter, the logarithm of B's mean time over A's: centre is the median,
-- spread the median distance from it, as a standard deviation. Half of the functions may have changed; few are no
-- measure. A centre beyond 25 % is no noise: the program itself changed, or its compiler's options. beyond_max keeps a
-- change by a factor of 3 from ever being noise. error_a, error_b: the part of the hooks' cost that may be wrong.
CREATE TEMP TABLE noise AS
WITH ratios AS MATERIALIZED (
       SELECT ln(b.mean_ns / a.mean_ns) AS ratio
       FROM temp.a AS a JOIN temp.b AS b ON b.name = a.name AND b.file = a.file
       WHERE a.finished >= 10 AND b.finished >= 10 AND a.mean_ns >= 100 AND b.mean_ns >= 100),
     counted AS (SELECT count(*) AS n FROM ratios),
     centre AS (
       SELECT CASE WHEN n >= 8 THEN (SELECT ratio FROM ratios ORDER BY ratio LIMIT 1 OFFSET (SELECT n / 2 FROM counted))
              ELSE 0.0 END AS ratio
       FROM counted),
     spread AS (
       SELECT CASE WHEN n >= 8 THEN 1.4826 * (SELECT abs(r.ratio - centre.ratio) FROM ratios r CROSS JOIN centre
                                              ORDER BY 1 LIMIT 1 OFFSET (SELECT n / 2 FROM counted)) ELSE 0.0 END AS ratio
       FROM counted)
SELECT counted.n AS functions, CASE WHEN abs(centre.ratio) <= ln(1.25) THEN centre.ratio ELSE 0.0 END AS centre,
       min(3 * spread.ratio, ln(3)) AS band,
       coalesce((SELECT min(1.0, 1.0 * e.value / c.value)
                 FROM main.run e JOIN main.run c ON c.key = 'hook_cost_ns' AND c.value > 0
                 WHERE e.key = 'hook_cost_error_ns'), 1.0) AS error_a,
       coalesce((SELECT min(1.0, 1.0 * e.value / c.value)
                 FROM other.run e JOIN other.run c ON c.key = 'hook_cost_ns' AND c.value > 0
                 WHERE e.key = 'hook_cost_error_ns'), 1.0) AS error_b,
       (SELECT 2 * max(ps) / 1000.0
        FROM (SELECT total(value) AS ps FROM main.run WHERE key IN ('hook_inside_ps', 'hook_outside_ps')
              UNION ALL
              SELECT total(value) FROM other.run WHERE key IN ('hook_inside_ps', 'hook_outside_ps'))) AS call_ns
FROM counted CROSS JOIN centre CROSS JOIN spread

-- statement: pairs
-- p: the probability that the times of a call differ by chance. doubt_ns: how far apart the hooks' cost may put the means:
-- twice that of one call, and the error of those within it. beyond_noise: the means are further apart than the runs are.
-- module: by B's map, or where that has none, by A's, else the program or library.
CREATE TEMP VIEW pairs AS
SELECT *, CASE WHEN mean_a > 0 AND mean_b > 0 THEN abs(ln(mean_b / mean_a) - centre) > band ELSE 1 END AS beyond_noise
FROM (
SELECT coalesce(a.name, b.name) AS name, coalesce(b.shown, a.shown) AS shown,
       coalesce(b.location, a.location) AS location, a.own_file AS file_a, b.own_file AS file_b,
       a.calls AS calls_a, b.calls AS calls_b, a.total_ns AS total_a, b.total_ns AS total_b,
       a.self_ns AS self_a, b.self_ns AS self_b, a.self_cpu_ns AS self_cpu_a, b.self_cpu_ns AS self_cpu_b,
       a.self_wait_ns AS self_wait_a, b.self_wait_ns AS self_wait_b, a.mean_ns AS mean_a, b.mean_ns AS mean_b,
       a.max_ns AS max_a, b.max_ns AS max_b, a.allocs AS allocs_a, b.allocs AS allocs_b,
       a.alloc_bytes AS bytes_a, b.alloc_bytes AS bytes_b,
       CASE WHEN a.finished >= 10 AND b.finished >= 10
            THEN min(1.0, 2 * min(welch_p(a.finished, a.mean_ns, a.m2, b.finished, b.mean_ns, b.m2),
                                  CASE WHEN (r.z > 0) = (b.mean_ns > a.mean_ns) THEN r.p ELSE 1 END)) END AS p,
       n.call_ns + n.error_a * a.hooks_ns + n.error_b * b.hooks_ns AS doubt_ns, n.centre, n.band,
       coalesce(b.mapped, a.mapped, b.library, a.library, '?') AS module
FROM temp.noise n CROSS JOIN (temp.a AS a FULL JOIN temp.b AS b ON b.name = a.name AND b.file = a.file)
     LEFT JOIN temp.ranks r ON r.name = a.name AND r.file = a.file)
