-- title:       Hook cost
-- question:    How much of a time is the recording's own?
-- group:       Time
-- description: How much of the run was the recording itself, and which functions it distorts most. The
--              first row is the whole run.
-- advice:      Where the distortion is large the adjusted self time is the difference of two large
--              numbers: trust counts and ranks, not nanoseconds. Fewer hooks help: `fisql cc
--              --exclude-function` for tiny functions, --after-inlining, or record --min-duration.
-- source:      the hooks' cost is measured at the start of each run (run.hook_inside_ps and _outside_ps)
-- report:      overview
-- param:       min_calls = 1 | calls | leave out functions with fewer calls
-- column:      function | - | demangled name, or (whole run)
-- column:      location | - | where it is defined
-- column:      hook_ns | ns | time of hooks in the function's own time
-- column:      distortion | % | of the function's self time as measured
-- column:      raw_self_ns | ns | self time as measured
-- column:      self_ns | ns | self time with the hooks' cost taken out
-- column:      calls | calls | calls of the function
-- column:      child_calls | calls | calls that it made
WITH params AS (SELECT coalesce(:min_calls, 1) AS min_calls),
     costs AS (
       SELECT 0 AS place, NULL AS function_id, sum(raw_self_ns) AS raw_self_ns, sum(self_ns) AS self_ns,
              sum(calls) AS calls, sum(child_calls) AS child_calls
       FROM function_stats HAVING count(*) > 0
       UNION ALL
       SELECT 1, s.function_id, s.raw_self_ns, s.self_ns, s.calls, s.child_calls
       FROM function_stats s CROSS JOIN params
       WHERE s.calls >= params.min_calls AND s.raw_self_ns > s.self_ns)
SELECT coalesce(f.name, '(whole run)') AS function,
       f.location,
       c.raw_self_ns - c.self_ns AS hook_ns,
       round(100.0 * (c.raw_self_ns - c.self_ns) / nullif(c.raw_self_ns, 0), 1) AS distortion,
       c.raw_self_ns,
       c.self_ns,
       c.calls,
       c.child_calls
FROM costs c LEFT JOIN function_details f ON f.id = c.function_id
ORDER BY c.place, hook_ns DESC, c.function_id
