-- title:       Repeated calls
-- question:    Which calls are made again and again in a row?
-- group:       Inlining and call structure
-- description: Callees that one call of their caller called many times in a row, with no other call in
--              between: loops over items.
-- advice:      If the iterations do not depend on one another, hand the callee the whole array: it can
--              then use SIMD, or run in parallel. A small callee belongs in the loop. Iterations
--              that depend on one another (a parser, a list walk) make the advice wrong. Left out are callees
--              that the compiler inlines into the loop, recursion, callees that mostly wait, and loops that last most of their
--              thread's time: a program's main or event loop.
-- source:      callee runs: one callee several times in a row in the sequence of direct calls
-- needs:       calls
-- report:      findings
-- param:       min_longest = 10 | calls | leave out pairs whose longest callee run is shorter
-- param:       min_mean = 4 | calls | leave out pairs whose callee runs are shorter on average
-- param:       min_total_ns = 100000 | ns | leave out pairs with less processor time in the callee
-- param:       max_part = 80 | % | leave out loops in a call that lasts longer, of its thread's time
-- column:      caller | - | the function with the loop
-- column:      caller_location | - | where it is defined
-- column:      callee | - | the function in the loop
-- column:      callee_location | - | where that is defined
-- column:      longest | calls | calls in the longest callee run: one after another, no other between
-- column:      mean | calls | calls in a callee run on average
-- column:      callee_runs | callee runs | of any length
-- column:      calls | calls | calls in them
-- column:      cpu_ns | ns | processor time in the callee's calls from the caller, with callees
-- column:      example_call | id | calls.id of the caller's call with the longest
WITH params AS (SELECT coalesce(:min_longest, 10) AS min_longest, coalesce(:min_mean, 4) AS min_mean,
                       coalesce(:min_total_ns, 100000) AS min_total_ns,
                       coalesce(:max_part, 80) AS max_part),
     loops AS MATERIALIZED (
       SELECT r.* FROM callee_runs r CROSS JOIN params
       WHERE r.longest >= params.min_longest AND r.calls >= params.min_mean * r.count
         AND r.caller_id <> r.callee_id),
     called AS MATERIALIZED ( -- by a real call, as far as one can tell
       SELECT l.caller_id, l.callee_id, sum(e.cpu_ns) AS cpu_ns
       FROM loops l JOIN edge_details e ON e.caller_id = l.caller_id AND e.callee_id = l.callee_id
            JOIN functions f ON f.id = l.callee_id
       GROUP BY l.caller_id, l.callee_id
       HAVING max(e.kept OR (NOT e.inlined AND f.inlined = 0 AND f.size >= 250)) = 1
         AND sum(e.cpu_ns) >= (SELECT min_total_ns FROM params))
SELECT c.name AS caller,
       c.location AS caller_location,
       f.name AS callee,
       f.location AS callee_location,
       r.longest,
       round(1.0 * r.calls / r.count, 1) AS mean,
       r.count AS callee_runs,
       r.calls,
       called.cpu_ns,
       r.longest_call_id AS example_call
FROM loops r
     JOIN called ON called.caller_id = r.caller_id AND called.callee_id = r.callee_id
     JOIN function_details c ON c.id = r.caller_id
     JOIN function_details f ON f.id = r.callee_id
     JOIN function_stats s ON s.function_id = r.callee_id
     CROSS JOIN params
     LEFT JOIN calls longest ON longest.id = r.longest_call_id
     LEFT JOIN threads t ON t.id = longest.thread_id
WHERE s.recursive_calls = 0
  AND 2 * s.wait_ns <= s.total_ns -- a callee that waits makes an event loop
  AND 100 * coalesce(longest.duration_ns, 0) <= params.max_part * coalesce(t.end_ns - t.start_ns, 0)
ORDER BY called.cpu_ns DESC, r.longest DESC, r.caller_id, r.callee_id
