-- title:       Inline candidates
-- question:    Which small, often called functions to inline?
-- group:       Inlining and call structure
-- description: Functions that were only ever called by one other function, and that the compiler cannot
--              inline by itself: it does not see their code where they are called, or they may be called from
--              elsewhere. Making such a function static inline, or moving it into its caller's file,
--              removes the calls; with one call site the code does not even grow.
-- advice:      Prefer rows that save much with few sites and small size. saved_ns is an estimate of what
--              a build without hooks at -O2 gains. Left out are functions that were inlined, static and C++
--              inline ones (there the compiler decided already), small ones of their caller's translation
--              unit (inlined at -O2), calls through pointers or from other modules, and functions whose own
--              code takes so long that a call's cost is less than a hundredth. The advice is wrong where
--              another input would bring other callers (code_callers tells of them), and with -flto, where
--              the compiler sees all code.
-- source:      inlining of functions called once: gcc -finline-functions-called-once. call_ns: a call of a
--              function in another unit against the same inlined, measured in a loop: 0.6 to 1.3 ns at 3 GHz;
--              registers saved around a call add to it in larger functions
-- report:      findings
-- finding:     {function} is called from {caller}, {calls} times: inlined, the calls are gone
-- saves:       saved_ns
-- param:       min_calls = 100 | calls | leave out functions with fewer calls
-- param:       max_size = 1000000 | bytes | leave out functions with more code
-- param:       max_self_ns = 150 | ns a call | leave out functions whose own code takes longer
-- param:       call_ns = 1.5 | ns a call | what a call costs in a build without hooks
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      caller | - | the one function that calls it
-- column:      caller_location | - | where that is defined
-- column:      sites | sites | distinct places it is called from
-- column:      code_callers | functions | whose code calls it, in this run or not (of its module)
-- column:      calls | calls | calls
-- column:      saved_ns | ns | what a build without hooks would save, about: calls times call_ns
-- column:      size | bytes | size of its code, with the hooks
-- column:      self_per_call_ns | ns a call | processor time in its own code a call, hooks' cost taken out
-- column:      example_call | id | calls.id of its first call
WITH params AS (SELECT coalesce(:min_calls, 100) AS min_calls,
                       coalesce(:max_size, 1000000) AS max_size,
                       coalesce(:max_self_ns, 150) AS max_self_ns,
                       coalesce(:call_ns, 1.5) AS call_ns),
     single AS (
       SELECT s.function_id, s.calls, s.self_cpu_ns, s.first_call_id
       FROM function_stats s JOIN functions f ON f.id = s.function_id CROSS JOIN params
       WHERE s.callers = 1 AND s.root_calls = 0 AND s.recursive_calls = 0
         AND s.calls >= params.min_calls AND s.self_cpu_ns <= params.max_self_ns * s.calls
         AND (f.size IS NULL OR f.size <= params.max_size)
         AND f.scope = 'global' AND f.inlined = 0),
     called AS (
       SELECT single.function_id, min(e.caller_id) AS caller_id, count(DISTINCT e.site_id) AS sites
       FROM single JOIN edge_details e ON e.callee_id = single.function_id
       GROUP BY single.function_id
       HAVING min(e.kept) = 1)
SELECT f.name AS function,
       f.location,
       c.name AS caller,
       c.location AS caller_location,
       called.sites,
       code.call_sources AS code_callers,
       single.calls,
       CAST(single.calls * params.call_ns AS INTEGER) AS saved_ns,
       f.size,
       round(1.0 * single.self_cpu_ns / single.calls, 1) AS self_per_call_ns,
       single.first_call_id AS example_call
FROM single
     JOIN called ON called.function_id = single.function_id
     JOIN function_details f ON f.id = single.function_id
     JOIN function_details c ON c.id = called.caller_id
     JOIN functions code ON code.id = single.function_id
     CROSS JOIN params
ORDER BY single.calls DESC, single.function_id
