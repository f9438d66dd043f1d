-- The statements of diff_functions.c.

-- statement: judged
-- The functions of both runs with what changed. hidden: why a time that chance does not explain is no change.
CREATE TEMP VIEW judged AS
WITH sides AS (
       SELECT p.*, o.percent, o.measure,
              CASE o.measure WHEN 'wall' THEN self_a WHEN 'wait' THEN self_wait_a WHEN 'calls' THEN calls_a
                             WHEN 'bytes' THEN bytes_a ELSE self_cpu_a END AS own_a,
              CASE o.measure WHEN 'wall' THEN self_b WHEN 'wait' THEN self_wait_b WHEN 'calls' THEN calls_b
                             WHEN 'bytes' THEN bytes_b ELSE self_cpu_b END AS own_b
       FROM temp.pairs p CROSS JOIN temp.asked o),
     whole AS (SELECT max(total(self_wait_a), total(self_wait_b)) AS wait_ns FROM temp.pairs),
     timed AS (
       SELECT *,
              CASE WHEN p >= 0.001 OR p IS NULL THEN 0
                   WHEN mean_b > mean_a * (1 + percent / 100.0) THEN 1
                   WHEN mean_b < mean_a * (1 - percent / 100.0) THEN -1 ELSE 0 END AS time_change
       FROM sides),
     seen AS (
       SELECT *,
              CASE WHEN time_change <> 0 AND abs(mean_b - mean_a) < doubt_ns THEN 'hooks'
                   WHEN time_change <> 0 AND NOT beyond_noise THEN 'noise' END AS hidden,
              -- of single waits nothing is known: a fifth more, of a hundredth of all waiting and of a millisecond
              measure = 'wait' AND abs(own_b - own_a) > max(1000000, 0.2 * max(own_a, own_b), whole.wait_ns / 100) AS wait_change
       FROM timed CROSS JOIN whole)
SELECT *,
       CASE WHEN calls_a IS NULL THEN 'new' WHEN calls_b IS NULL THEN 'gone'
            ELSE trim(CASE WHEN calls_b > calls_a THEN 'called more, ' WHEN calls_b < calls_a THEN 'called less, ' ELSE '' END
                      || CASE WHEN hidden IS NOT NULL THEN '' WHEN time_change > 0 THEN 'slower, '
                              WHEN time_change < 0 THEN 'faster, ' ELSE '' END
                      || CASE WHEN NOT wait_change THEN '' WHEN own_b > own_a THEN 'waits longer, ' ELSE 'waits less, ' END
                      || CASE WHEN bytes_b > bytes_a OR (bytes_b = bytes_a AND allocs_b > allocs_a) THEN 'allocates more, '
                              WHEN bytes_b < bytes_a OR allocs_b < allocs_a THEN 'allocates less, ' ELSE '' END, ', ')
            END AS change
FROM seen

-- statement: functions
SELECT shown AS function, location, change, calls_a, calls_b, round(mean_a, 1) AS mean_a_ns, round(mean_b, 1) AS mean_b_ns,
       round(p, 6) AS p,
       CASE measure WHEN 'wall' THEN self_a WHEN 'wait' THEN self_wait_a ELSE self_cpu_a END AS self_a_ns,
       CASE measure WHEN 'wall' THEN self_b WHEN 'wait' THEN self_wait_b ELSE self_cpu_b END AS self_b_ns,
       CASE measure WHEN 'wall' THEN coalesce(self_b, 0) - coalesce(self_a, 0)
                    WHEN 'wait' THEN coalesce(self_wait_b, 0) - coalesce(self_wait_a, 0)
                    ELSE coalesce(self_cpu_b, 0) - coalesce(self_cpu_a, 0) END AS self_change_ns,
       bytes_a AS alloc_a_bytes, bytes_b AS alloc_b_bytes, module
FROM temp.judged
WHERE change <> '' OR (SELECT everything FROM temp.asked)
ORDER BY abs(coalesce(own_b, 0) - coalesce(own_a, 0)) DESC, name, location

-- statement: modules
-- The functions of a module added up. changed: how many of them the table of functions would have.
SELECT module, count(calls_a) AS functions_a, count(calls_b) AS functions_b, sum(change <> '') AS changed,
       coalesce(sum(calls_a), 0) AS calls_a, coalesce(sum(calls_b), 0) AS calls_b,
       coalesce(sum(CASE measure WHEN 'wall' THEN self_a WHEN 'wait' THEN self_wait_a ELSE self_cpu_a END), 0) AS self_a_ns,
       coalesce(sum(CASE measure WHEN 'wall' THEN self_b WHEN 'wait' THEN self_wait_b ELSE self_cpu_b END), 0) AS self_b_ns,
       sum(CASE measure WHEN 'wall' THEN coalesce(self_b, 0) - coalesce(self_a, 0)
                        WHEN 'wait' THEN coalesce(self_wait_b, 0) - coalesce(self_wait_a, 0)
                        ELSE coalesce(self_cpu_b, 0) - coalesce(self_cpu_a, 0) END) AS self_change_ns,
       coalesce(sum(bytes_a), 0) AS alloc_a_bytes, coalesce(sum(bytes_b), 0) AS alloc_b_bytes
FROM temp.judged
GROUP BY module
ORDER BY abs(sum(coalesce(own_b, 0) - coalesce(own_a, 0))) DESC, module

-- statement: maps
-- Which of the runs have a map of modules.
SELECT EXISTS (SELECT 1 FROM main.module_map), EXISTS (SELECT 1 FROM other.module_map)

-- statement: hidden
SELECT total(hidden = 'hooks'), total(hidden = 'noise'), 100 * (exp(max(band)) - 1), 100 * (exp(max(centre)) - 1)
FROM temp.judged WHERE change = ''
