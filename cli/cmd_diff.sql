-- The statements of cmd_diff.c.

-- statement: functions
WITH sides AS (
       SELECT *, CASE :by WHEN 'wall' THEN self_a WHEN 'wait' THEN self_wait_a ELSE self_cpu_a END AS own_a,
              CASE :by WHEN 'wall' THEN self_b WHEN 'wait' THEN self_wait_b ELSE self_cpu_b END AS own_b
       FROM temp.pairs),
     changed AS (
       SELECT *,
              CASE WHEN calls_a IS NULL THEN 'new' WHEN calls_b IS NULL THEN 'gone'
                   ELSE trim(CASE WHEN calls_b > calls_a THEN 'called more, '
                                  WHEN calls_b < calls_a THEN 'called less, ' ELSE '' END
                             || CASE WHEN p >= 0.001 OR p IS NULL OR abs(mean_b - mean_a) < doubt_ns THEN ''
                                     WHEN mean_b > mean_a * (1 + :percent / 100.0) THEN 'slower, '
                                     WHEN mean_b < mean_a * (1 - :percent / 100.0) THEN 'faster, ' ELSE '' END
                             || CASE WHEN bytes_b > bytes_a OR (bytes_b = bytes_a AND allocs_b > allocs_a)
                                     THEN 'allocates more, '
                                     WHEN bytes_b < bytes_a OR allocs_b < allocs_a THEN 'allocates less, '
                                     ELSE '' END, ', ') END AS change
       FROM sides)
SELECT shown AS function, location, change, calls_a, calls_b, round(mean_a, 1) AS mean_a_ns,
       round(mean_b, 1) AS mean_b_ns, round(p, 6) AS p, own_a AS self_a_ns, own_b AS self_b_ns,
       coalesce(own_b, 0) - coalesce(own_a, 0) AS self_change_ns, bytes_a AS alloc_a_bytes, bytes_b AS alloc_b_bytes
FROM changed
WHERE change <> '' OR :all
ORDER BY abs(coalesce(own_b, 0) - coalesce(own_a, 0)) DESC, name, location
