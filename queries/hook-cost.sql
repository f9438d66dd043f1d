-- title:       Hook cost
-- question:    How much of a time is the recording's own?
-- group:       Time
-- description: How much of the processor time was the recording itself, and which functions it distorts
--              most. The first row is the whole run.
-- advice:      Where the distortion is large the adjusted self time is the difference of two large
--              numbers: trust counts and ranks, not nanoseconds. Fewer hooks help: `fisql cc
--              --exclude-function` for tiny functions, --after-inlining, or record --min-duration.
-- source:      the hooks' cost as it was measured while the program ran (table hook_costs; what it was
--              measured by: run.hook_cost_source)
-- report:      overview
-- param:       min_calls = 1 | calls | leave out functions with fewer calls
-- column:      function | - | demangled name, or (whole run)
-- column:      location | - | where it is defined
-- column:      hook_ns | ns | time of hooks in the function's own time
-- column:      distortion | % | of the processor time of the function's own code and its hooks
-- column:      self_cpu_ns | ns | processor time in its own code, hooks' cost taken out
-- column:      error_ns | ns | by how much that may be off
-- column:      calls | calls | calls of the function
-- column:      child_calls | calls | calls that it made
-- column:      raw_self_ns | ns | self time as measured: with hooks, waiting and time put aside
-- column:      self_ns | ns | self time with the hooks' cost taken out
WITH params AS (SELECT coalesce(:min_calls, 1) AS min_calls),
     recording AS (
       SELECT (SELECT value FROM run WHERE key = 'hook_cost_ns') AS cost_ns,
              (SELECT value FROM run WHERE key = 'hook_cost_error_ns') AS error_ns),
     costs AS (
       -- the whole as it was taken out call by call: what is less than its cost counts in full
       SELECT 0 AS place, NULL AS function_id,
              coalesce(max(recording.cost_ns), sum(raw_self_ns - self_ns)) AS hook_ns,
              sum(self_cpu_ns) AS self_cpu_ns, sum(calls) AS calls, sum(child_calls) AS child_calls,
              sum(raw_self_ns) AS raw_self_ns, sum(self_ns) AS self_ns
       FROM function_stats CROSS JOIN recording HAVING count(*) > 0
       UNION ALL
       SELECT 1, s.function_id, s.raw_self_ns - s.self_ns, s.self_cpu_ns, s.calls, s.child_calls,
              s.raw_self_ns, s.self_ns
       FROM function_stats s CROSS JOIN params
       WHERE s.calls >= params.min_calls AND s.raw_self_ns > s.self_ns)
SELECT coalesce(f.name, '(whole run)') AS function,
       f.location,
       c.hook_ns,
       round(100.0 * c.hook_ns / nullif(c.hook_ns + c.self_cpu_ns, 0), 1) AS distortion,
       c.self_cpu_ns,
       CAST(round(1.0 * recording.error_ns / nullif(recording.cost_ns, 0) * c.hook_ns) AS INTEGER) AS error_ns,
       c.calls,
       c.child_calls,
       c.raw_self_ns,
       c.self_ns
FROM costs c CROSS JOIN recording LEFT JOIN function_details f ON f.id = c.function_id
ORDER BY c.place, c.hook_ns DESC, c.function_id
