-- title:       Single callee
-- question:    Which functions call just one other, once?
-- group:       Inlining and call structure
-- description: Functions whose every call called exactly one other function of their file, any
--              number of times, which no other function calls: candidates to merge with it.
-- advice:      The two are one function in two pieces: merge them, or move the loop into the callee
--              so that one call does it all. Their code has no other call that this run did not
--              take, and the callee is not inlined already (the compiler cannot do it). The advice
--              is wrong for a layer that exists for its interface; for this reason callees in other
--              files are left out.
-- source:      distinct direct callees of a function
-- report:      findings proxies=0
-- hides:       inlined=1: the compiler may inline them, or they are called through a pointer
-- param:       min_calls = 2 | calls | leave out functions with fewer calls
-- param:       proxies = 1 | 0, 1 | 1: also functions that made one call each time (see proxies)
-- param:       max_callers = 1 | functions | leave out pairs whose callee has more callers
-- param:       inlined = 0 | 0 or 1 | 1 = also what the compiler may inline, or calls through a pointer
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      callee | - | the one function that it calls
-- column:      callee_location | - | where that is defined
-- column:      calls | calls | calls of the function
-- column:      callee_calls | calls | calls that it made
-- column:      calls_per_call | - | of the callee for each call of the function
-- column:      callee_callers | functions | distinct callers of the callee
-- column:      self_cpu_ns | ns | processor time in the function's own code
-- column:      compiler | - | what -O2 makes of the call: keeps it, may inline it or cannot, and why
-- column:      example_call | id | calls.id of its first call
WITH params AS (SELECT coalesce(:min_calls, 2) AS min_calls, coalesce(:proxies, 1) AS proxies,
                       coalesce(:max_callers, 1) AS max_callers, coalesce(:inlined, 0) AS inlined),
     lone AS (
       SELECT s.function_id
       FROM function_stats s JOIN functions f ON f.id = s.function_id CROSS JOIN params
       WHERE s.callees = 1 AND s.calling = s.calls AND s.calls >= params.min_calls
         AND f.call_targets = 1),
     merged AS (
       SELECT e.caller_id, min(e.callee_id) AS callee_id, sum(e.calls) AS calls, min(e.kept) AS kept,
              coalesce(min(CASE WHEN NOT e.kept THEN e.compiler END), min(e.compiler)) AS compiler
       FROM lone JOIN edge_details e ON e.caller_id = lone.function_id CROSS JOIN params
       GROUP BY e.caller_id HAVING min(e.kept OR params.inlined) = 1)
SELECT f.name AS function,
       f.location,
       c.name AS callee,
       c.location AS callee_location,
       s.calls,
       merged.calls AS callee_calls,
       round(1.0 * merged.calls / s.calls, 2) AS calls_per_call,
       cs.callers AS callee_callers,
       s.self_cpu_ns,
       merged.compiler,
       s.first_call_id AS example_call
FROM merged
     JOIN function_stats s ON s.function_id = merged.caller_id
     JOIN function_stats cs ON cs.function_id = merged.callee_id
     JOIN function_details f ON f.id = merged.caller_id
     JOIN function_details c ON c.id = merged.callee_id
     JOIN functions code ON code.id = merged.callee_id
     CROSS JOIN params
WHERE merged.callee_id <> merged.caller_id
  AND c.file_id = f.file_id AND cs.callers <= params.max_callers AND cs.root_calls = 0
  AND code.call_sources <= params.max_callers
  AND (params.proxies <> 0 OR merged.calls > s.calls)
ORDER BY merged.kept DESC, s.calls DESC, merged.calls DESC, merged.caller_id
