-- title:       Callees
-- question:    Whom does each function call, and at what cost?
-- group:       Time
-- description: What a function called, from which line, how often, and how long those calls took: where
--              its processor time went.
-- advice:      Name the function with --function. What is missing between the function's time and the
--              sum of its callees is its own code and code without hooks.
-- source:      gprof's call graph, with exact times
-- report:      none
-- param:       function = NULL | - | the calling function, a pattern (all functions)
-- filter:      function = function
-- column:      function | - | the calling function
-- column:      location | - | where it is defined
-- column:      callee | - | whom it called
-- column:      called_from | - | file and line of the call
-- column:      calls | calls | calls from there
-- column:      calls_per_call | - | calls for each call of the function
-- column:      cpu_ns | ns | processor time in those calls with callees, outermost activations
-- column:      share | % | of the function's processor time
-- column:      self_cpu_ns | ns | processor time in the callee's own code in those calls
-- column:      wait_ns | ns | time waited in those calls
-- column:      first_call | id | calls.id of the first such call
-- column:      slowest_call | id | calls.id of the slowest
WITH params AS (SELECT :function AS function)
SELECT f.name AS function,
       f.location,
       c.name AS callee,
       s.location AS called_from,
       e.calls,
       round(1.0 * e.calls / st.calls, 2) AS calls_per_call,
       e.cpu_ns,
       round(100.0 * e.cpu_ns / nullif(st.cpu_ns, 0), 1) AS share,
       e.self_cpu_ns,
       e.wait_ns,
       e.first_call_id AS first_call,
       e.slowest_call_id AS slowest_call
FROM edges e
     CROSS JOIN params
     JOIN function_details f ON f.id = e.caller_id
     JOIN function_stats st ON st.function_id = e.caller_id
     JOIN functions c ON c.id = e.callee_id
     LEFT JOIN site_details s ON s.id = e.site_id
WHERE params.function IS NULL OR f.name GLOB params.function
ORDER BY st.cpu_ns DESC, e.caller_id, e.cpu_ns DESC, e.wait_ns DESC, e.calls DESC, e.id
