-- title:       Call counts
-- question:    How often was each function called?
-- group:       Time
-- description: Functions by the exact number of their calls.
-- advice:      A count that is far from what you expect is the finding: a cache that never hits, a
--              loop that runs once too often, work that is done again for each element.
-- source:      gcov, gprof
-- report:      overview
-- param:       min_calls = 1 | calls | leave out functions with fewer calls
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      calls | calls | calls
-- column:      callers | functions | distinct functions that called it
-- column:      callees | functions | distinct functions it called
-- column:      self_per_call_ns | ns a call | processor time in its own code a call
-- column:      inlined | % | of the calls the compiler inlined, even with their hooks: no calls in a plain build
-- column:      example_call | id | calls.id of its first call
-- column:      module | - | of the map of `fisql modules`, else where it was loaded from
WITH params AS (SELECT coalesce(:min_calls, 1) AS min_calls),
     inlined AS MATERIALIZED (
       SELECT callee_id, 100.0 * sum(calls * inlined) / sum(calls) AS share FROM edge_details GROUP BY callee_id)
SELECT f.name AS function,
       f.location,
       s.calls,
       s.callers,
       s.callees,
       round(1.0 * s.self_cpu_ns / s.calls, 1) AS self_per_call_ns,
       round(i.share, 1) AS inlined,
       s.first_call_id AS example_call,
       f.module
FROM function_stats s
     JOIN function_details f ON f.id = s.function_id
     CROSS JOIN params
     LEFT JOIN inlined i ON i.callee_id = s.function_id
WHERE s.calls >= params.min_calls
ORDER BY s.calls DESC, s.function_id
