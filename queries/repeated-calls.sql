-- title:       Repeated calls
-- question:    Which calls are made again and again in a row?
-- group:       Inlining and call structure
-- description: Callees that one call of their caller called many times in a row, with no other call in
--              between: loops over items.
-- advice:      If the iterations do not depend on one another, hand the callee the whole array: it can
--              then use SIMD, or run in parallel. A small callee belongs in the loop. Iterations
--              that depend on one another (a parser, a list walk) make the advice wrong.
-- source:      callee runs: one callee several times in a row in the sequence of direct calls
-- report:      findings
-- param:       min_longest = 10 | calls | leave out pairs whose longest callee run is shorter
-- column:      caller | - | the function with the loop
-- column:      caller_location | - | where it is defined
-- column:      callee | - | the function in the loop
-- column:      callee_location | - | where that is defined
-- column:      longest | calls | calls in the longest callee run: one after another, no other between
-- column:      mean | calls | calls in a callee run on average
-- column:      callee_runs | callee runs | of any length
-- column:      calls | calls | calls in them
-- column:      raw_total_ns | ns | time inside the callee's calls, as measured
-- column:      example_call | id | calls.id of the caller's call with the longest
WITH params AS (SELECT coalesce(:min_longest, 10) AS min_longest)
SELECT c.name AS caller,
       c.location AS caller_location,
       f.name AS callee,
       f.location AS callee_location,
       r.longest,
       round(1.0 * r.calls / r.count, 1) AS mean,
       r.count AS callee_runs,
       r.calls,
       r.raw_total_ns,
       r.longest_call_id AS example_call
FROM callee_runs r
     JOIN function_details c ON c.id = r.caller_id
     JOIN function_details f ON f.id = r.callee_id
     CROSS JOIN params
WHERE r.longest >= params.min_longest
ORDER BY r.raw_total_ns DESC, r.longest DESC, r.caller_id, r.callee_id
