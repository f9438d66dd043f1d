-- title:       Hot functions
-- question:    Which functions' own code took the time?
-- group:       Time
-- description: Where the run spent its time: functions by the processor time in their own code,
--              without the hooks' cost.
-- advice:      Start with the first rows: making a function with a small share faster gains little.
--              Inline a function with many calls and little time a call, or call it less often,
--              instead of tuning it. Below 100 ns a call trust counts and ranks, not nanoseconds; a
--              time a call that is less than the hooks' cost, and a sum that is less than its own
--              error, is shown as ~N.
-- source:      gprof's flat profile (Graham, Kessler & McKusick 1982), with exact counts
-- report:      overview
-- param:       by = 'cpu' | cpu/wall/wait | order and share by processor time, all time, or waiting
-- param:       min_calls = 1 | calls | leave out functions with fewer calls
-- param:       exact = 0 | 0/1 | 1 = median_ns and p99_ns from each single call, which takes some 3 us and 60 bytes of memory a call
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      self_cpu_ns | ns | processor time in its own code, hooks' cost taken out
-- column:      share | % | part of the run's whole
-- column:      cpu_ns | ns | processor time with callees, outermost activations
-- column:      calls | calls | calls
-- column:      self_per_call_ns | ns a call | processor time in its own code a call
-- column:      self_wait_ns | ns | time it waited in its own code
-- column:      self_ns | ns | time in its own code: on the processor, waiting, put aside
-- column:      total_ns | ns | time with callees, outermost activations
-- column:      median_ns | ns a call | processor time with callees of the middle call, up to 3.2 % off (exact=1: exact)
-- column:      p99_ns | ns a call | 99 of 100 calls took at most this, up to 3.2 % off (exact=1: exact)
-- column:      raw_self_ns | ns | self time as measured, with the hooks' cost
-- column:      slowest_call | id | calls.id of its slowest call
-- column:      module | - | of the map of `fisql modules`, else where it was loaded from
-- column:      self_put_aside_ns | ns | time put aside by the scheduler in its own code
WITH params AS (SELECT coalesce(:min_calls, 1) AS min_calls, coalesce(:by, 'cpu') AS by,
                       coalesce(:exact, 0) AS exact),
     weighed AS MATERIALIZED (
       SELECT s.*, CASE params.by WHEN 'wall' THEN s.self_ns WHEN 'wait' THEN s.self_wait_ns ELSE s.self_cpu_ns END AS weight
       FROM function_stats s CROSS JOIN params),
     whole AS (SELECT sum(weight) AS weight FROM weighed),
     counted AS MATERIALIZED ( -- how many calls of a function took so long at most
       SELECT t.function_id, t.cpu_ns, sum(count(*)) OVER (PARTITION BY t.function_id ORDER BY t.cpu_ns) AS calls
       FROM params CROSS JOIN call_times t WHERE params.exact GROUP BY t.function_id, t.cpu_ns),
     exact AS MATERIALIZED (
       SELECT c.function_id, min(c.cpu_ns) FILTER (WHERE 100 * c.calls >= 50 * s.finished) AS median_ns,
              min(c.cpu_ns) FILTER (WHERE 100 * c.calls >= 99 * s.finished) AS p99_ns
       FROM counted c JOIN function_stats s ON s.function_id = c.function_id
       GROUP BY c.function_id)
SELECT f.name AS function,
       f.location,
       s.self_cpu_ns,
       round(100.0 * s.weight / nullif(whole.weight, 0), 1) AS share,
       s.cpu_ns,
       s.calls,
       round(1.0 * s.self_cpu_ns / s.calls, 1) AS self_per_call_ns,
       s.self_wait_ns,
       s.self_ns,
       s.total_ns,
       CASE WHEN params.exact THEN e.median_ns ELSE s.median_ns END AS median_ns,
       CASE WHEN params.exact THEN e.p99_ns ELSE s.p99_ns END AS p99_ns,
       s.raw_self_ns,
       s.slowest_call_id AS slowest_call,
       f.module,
       s.self_preempted_ns AS self_put_aside_ns
FROM weighed s
     JOIN function_details f ON f.id = s.function_id
     CROSS JOIN params CROSS JOIN whole
     LEFT JOIN exact e ON e.function_id = s.function_id
WHERE s.calls >= params.min_calls
ORDER BY s.weight DESC, s.self_ns DESC, s.calls DESC, s.function_id
