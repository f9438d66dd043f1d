-- title:       Inline candidates
-- question:    Which small, often called functions to inline?
-- group:       Inlining and call structure
-- description: Functions that were only ever called by one other function. Making such a function
--              static inline, or moving it into its caller's file, removes the calls; with one call site
--              the code does not even grow.
-- advice:      Prefer rows with many calls, few sites and small size. The advice is wrong where
--              another input would bring other callers (look at a run that covers more), where the
--              function is called through a pointer or belongs to an interface, and where it is
--              large or cold and is kept out of line on purpose.
-- source:      inlining of functions called once: gcc -finline-functions-called-once
-- report:      findings
-- param:       min_calls = 2 | calls | leave out functions with fewer calls
-- param:       max_size = 1000000 | bytes | leave out functions with more code
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      caller | - | the one function that calls it
-- column:      caller_location | - | where that is defined
-- column:      sites | sites | distinct places it is called from
-- column:      calls | calls | calls
-- column:      size | bytes | size of its code
-- column:      self_per_call_ns | ns a call | self time a call, hooks' cost taken out
-- column:      example_call | id | calls.id of its first call
WITH params AS (SELECT coalesce(:min_calls, 2) AS min_calls,
                       coalesce(:max_size, 1000000) AS max_size),
     single AS (
       SELECT s.function_id, s.calls, s.self_ns, s.first_call_id
       FROM function_stats s CROSS JOIN params
       WHERE s.callers = 1 AND s.root_calls = 0 AND s.recursive_calls = 0
         AND s.calls >= params.min_calls),
     called AS (
       SELECT single.function_id, min(e.caller_id) AS caller_id,
              count(DISTINCT coalesce(e.site_id, 0)) AS sites
       FROM single JOIN edges e ON e.callee_id = single.function_id
       WHERE e.caller_id IS NOT NULL
       GROUP BY single.function_id)
SELECT f.name AS function,
       f.location,
       c.name AS caller,
       c.location AS caller_location,
       called.sites,
       single.calls,
       f.size,
       round(1.0 * single.self_ns / single.calls, 1) AS self_per_call_ns,
       single.first_call_id AS example_call
FROM single
     JOIN called ON called.function_id = single.function_id
     JOIN function_details f ON f.id = single.function_id
     JOIN function_details c ON c.id = called.caller_id
     CROSS JOIN params
WHERE f.size IS NULL OR f.size <= params.max_size
ORDER BY single.calls DESC, single.function_id
