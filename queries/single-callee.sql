-- title:       Single callee
-- question:    Which functions call just one other, once?
-- group:       Inlining and call structure
-- description: Functions whose every call called exactly one other function, any number of times:
--              candidates to merge with it.
-- advice:      If the callee has no other caller the two are one function in two pieces: merge them, or
--              move the loop into the callee so that one call does it all. A layer that exists for its
--              interface, or a branch that this run never took, makes the advice wrong.
-- source:      distinct direct callees of a function
-- report:      findings proxies=0
-- param:       min_calls = 2 | calls | leave out functions with fewer calls
-- param:       proxies = 1 | 0, 1 | 1: also functions that made one call each time (see proxies)
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      callee | - | the one function that it calls
-- column:      callee_location | - | where that is defined
-- column:      calls | calls | calls of the function
-- column:      callee_calls | calls | calls that it made
-- column:      calls_per_call | - | of the callee for each call of the function
-- column:      callee_callers | functions | distinct callers of the callee
-- column:      self_ns | ns | time in the function's own code
-- column:      example_call | id | calls.id of its first call
WITH params AS (SELECT coalesce(:min_calls, 2) AS min_calls, coalesce(:proxies, 1) AS proxies),
     merged AS (
       SELECT e.caller_id, min(e.callee_id) AS callee_id, sum(e.calls) AS calls
       FROM edges e WHERE e.caller_id IS NOT NULL
       GROUP BY e.caller_id HAVING count(DISTINCT e.callee_id) = 1)
SELECT f.name AS function,
       f.location,
       c.name AS callee,
       c.location AS callee_location,
       s.calls,
       merged.calls AS callee_calls,
       round(1.0 * merged.calls / s.calls, 2) AS calls_per_call,
       cs.callers AS callee_callers,
       s.self_ns,
       s.first_call_id AS example_call
FROM merged
     JOIN function_stats s ON s.function_id = merged.caller_id
     JOIN function_stats cs ON cs.function_id = merged.callee_id
     JOIN function_details f ON f.id = merged.caller_id
     JOIN function_details c ON c.id = merged.callee_id
     CROSS JOIN params
WHERE merged.callee_id <> merged.caller_id AND s.calling = s.calls AND s.calls >= params.min_calls
  AND (params.proxies <> 0 OR merged.calls > s.calls)
ORDER BY s.calls DESC, merged.calls DESC, merged.caller_id
