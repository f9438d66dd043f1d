-- title:       Callers
-- question:    Who calls each function, from where and how often?
-- group:       Time
-- description: Who called a function, from which line, how often, and how long those calls took.
-- advice:      Name the function with --function. The caller with the most time is the one whose
--              calls are worth avoiding or making cheaper. A row without a caller was called by code
--              without hooks (a library, the start of a thread).
-- source:      gprof's call graph, with exact times for each caller instead of shares
-- report:      none
-- param:       function = NULL | - | the function called, a pattern (all functions)
-- column:      function | - | the function called
-- column:      location | - | where it is defined
-- column:      caller | - | who called it
-- column:      called_from | - | file and line of the call
-- column:      calls | calls | calls from there
-- column:      share | % | of all calls of the function
-- column:      cpu_ns | ns | processor time in those calls with callees, outermost activations
-- column:      self_cpu_ns | ns | processor time in the function's own code in those calls
-- column:      wait_ns | ns | time waited in those calls
-- column:      cpu_per_call_ns | ns a call | processor time with callees a call
-- column:      first_call | id | calls.id of the first such call
-- column:      slowest_call | id | calls.id of the slowest
WITH params AS (SELECT :function AS function)
SELECT f.name AS function,
       f.location,
       coalesce(c.name, '(no instrumented caller)') AS caller,
       s.location AS called_from,
       e.calls,
       round(100.0 * e.calls / st.calls, 1) AS share,
       e.cpu_ns,
       e.self_cpu_ns,
       e.wait_ns,
       round(1.0 * e.cpu_ns / e.calls, 1) AS cpu_per_call_ns,
       e.first_call_id AS first_call,
       e.slowest_call_id AS slowest_call
FROM edges e
     CROSS JOIN params
     JOIN function_details f ON f.id = e.callee_id
     JOIN function_stats st ON st.function_id = e.callee_id
     LEFT JOIN functions c ON c.id = e.caller_id
     LEFT JOIN site_details s ON s.id = e.site_id
WHERE params.function IS NULL OR f.name GLOB params.function
ORDER BY st.cpu_ns DESC, e.callee_id, e.cpu_ns DESC, e.wait_ns DESC, e.calls DESC, e.id
