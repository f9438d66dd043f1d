-- title:       Repeated calls
-- question:    Which calls are made again and again in a row?
-- group:       Inlining and call structure
-- description: Callees that one call of their caller called many times in a row, with no other call in
--              between: loops over items.
-- advice:      If the iterations do not depend on one another, hand the callee the whole array: it can
--              then use SIMD, or run in parallel. A small callee belongs in the loop, and a call with the same arguments
--              each time before it. Iterations that depend on one another (a parser, a list walk) make the
--              advice wrong. Left out are callees that the compiler inlines into the loop, recursion, callees that mostly
--              wait, and a loop that is the program: its main or event loop. That is one that takes most of its
--              thread's time and whose callee is no small step: it takes long, or calls several functions.
-- source:      callee runs: one callee several times in a row in the sequence of direct calls
-- needs:       calls
-- report:      findings
-- hides:       inlined=1: the compiler may inline them, or they are called through a pointer;
--              max_part=100: they are their thread's main loop;
--              min_share=0: they take less than a two-hundredth of the run's processor time
-- param:       min_longest = 10 | calls | leave out pairs whose longest callee run is shorter
-- param:       min_mean = 4 | calls | leave out pairs whose callee runs are shorter on average
-- param:       min_total_ns = 100000 | ns | leave out pairs with less processor time in the callee
-- param:       min_share = 0.5 | % | of the run's processor time: the same
-- param:       max_part = 80 | % | leave out loops that take more of their thread's time, both in all and on the processor,
-- param:       max_item_ns = 10000 | ns a call | if the callee takes longer,
-- param:       max_callees = 2 | functions | or calls more functions, and its arguments mostly change, as far as they are known
-- param:       max_wait = 50 | % | leave out callees that wait for more of their time
-- param:       inlined = 0 | 0 or 1 | 1 = also callees that optimisation may inline into the loop
-- column:      caller | - | the function with the loop
-- column:      caller_location | - | where it is defined
-- column:      callee | - | the function in the loop
-- column:      callee_location | - | where that is defined
-- column:      longest | calls | calls in the longest callee run: one after another, no other between
-- column:      mean | calls | calls in a callee run on average
-- column:      callee_runs | callee runs | of any length
-- column:      calls | calls | calls in them
-- column:      cpu_ns | ns | processor time in the callee's calls from the caller, with callees
-- column:      share | % | the same of the run's processor time
-- column:      repeated | % | the callee's calls with arguments that an earlier one had, NULL = arguments are not known
-- column:      compiler | - | what optimisation makes of the call, and why
-- column:      example_call | id | calls.id of the caller's call with the longest
WITH params AS (SELECT coalesce(:min_longest, 10) AS min_longest, coalesce(:min_mean, 4) AS min_mean,
                       coalesce(:min_total_ns, 100000) AS min_total_ns,
                       coalesce(:min_share, 0.5) AS min_share,
                       coalesce(:max_part, 80) AS max_part, coalesce(:max_item_ns, 10000) AS max_item_ns,
                       coalesce(:max_callees, 2) AS max_callees, coalesce(:max_wait, 50) AS max_wait,
                       coalesce(:inlined, 0) AS inlined),
     whole AS MATERIALIZED (SELECT total(self_cpu_ns) AS cpu_ns FROM function_stats),
     loops AS MATERIALIZED (
       SELECT r.* FROM callee_runs r CROSS JOIN params
       WHERE r.longest >= params.min_longest AND r.calls >= params.min_mean * r.count
         AND r.caller_id <> r.callee_id),
     called AS MATERIALIZED ( -- by a real call, as far as one can tell
       SELECT l.caller_id, l.callee_id, sum(e.cpu_ns) AS cpu_ns,
              coalesce(max(CASE WHEN e.kept OR e.compiler GLOB 'cannot*' THEN e.compiler END),
                       max(CASE WHEN NOT e.inlined AND f.inlined = 0 AND f.size >= 250
                           THEN 'did not inline it in this build: large' END), max(e.compiler)) AS compiler
       FROM loops l JOIN edge_details e ON e.caller_id = l.caller_id AND e.callee_id = l.callee_id
            JOIN functions f ON f.id = l.callee_id CROSS JOIN params CROSS JOIN whole
       GROUP BY l.caller_id, l.callee_id
       HAVING (max(e.kept OR (NOT e.inlined AND f.inlined = 0 AND f.size >= 250)) = 1 OR params.inlined)
         AND sum(e.cpu_ns) >= params.min_total_ns AND 100 * sum(e.cpu_ns) >= params.min_share * max(whole.cpu_ns))
SELECT c.name AS caller,
       c.location AS caller_location,
       f.name AS callee,
       f.location AS callee_location,
       r.longest,
       round(1.0 * r.calls / r.count, 1) AS mean,
       r.count AS callee_runs,
       r.calls,
       called.cpu_ns,
       round(100.0 * called.cpu_ns / nullif(whole.cpu_ns, 0), 1) AS share,
       round(100.0 * a.repeated_calls / nullif(a.calls, 0), 1) AS repeated,
       called.compiler,
       r.longest_call_id AS example_call
FROM loops r
     JOIN called ON called.caller_id = r.caller_id AND called.callee_id = r.callee_id
     JOIN function_details c ON c.id = r.caller_id
     JOIN function_details f ON f.id = r.callee_id
     JOIN function_stats s ON s.function_id = r.callee_id
     CROSS JOIN params CROSS JOIN whole
     LEFT JOIN argument_repeats a ON a.function_id = r.callee_id
     LEFT JOIN calls longest ON longest.id = r.longest_call_id
     LEFT JOIN threads t ON t.id = longest.thread_id
WHERE s.recursive_calls = 0
  AND 100 * s.wait_ns <= params.max_wait * s.total_ns -- a callee that waits makes an event loop
  AND (100 * coalesce(longest.duration_ns, 0) <= params.max_part * coalesce(t.end_ns - t.start_ns, 0)
       OR 100 * called.cpu_ns <= params.max_part * r.caller_calls * coalesce(t.self_cpu_ns, 0)
       OR called.cpu_ns <= params.max_item_ns * r.calls AND s.callees <= params.max_callees
       OR 2 * coalesce(a.repeated_calls, 0) > a.calls)
ORDER BY called.cpu_ns DESC, r.longest DESC, r.caller_id, r.callee_id
