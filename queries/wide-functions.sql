-- title:       Wide functions
-- question:    Which functions call the most others?
-- group:       Inlining and call structure
-- description: Functions that call many distinct functions directly: candidates to split.
-- advice:      A function that knows many others is hard to test and to change: group the callees by
--              what they are for, and give each group a function of its own. Dispatchers,
--              interpreters' main loops and main itself are naturally wide.
-- source:      fan-out: Henry & Kafura 1981
-- report:      overview
-- param:       min_callees = 7 | functions | leave out functions that call fewer
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      callees | functions | distinct functions that it called directly
-- column:      callers | functions | distinct functions that called it
-- column:      calls | calls | calls of it
-- column:      child_calls | calls | calls that it made
-- column:      size | bytes | size of its code
-- column:      self_ns | ns | time in its own code
-- column:      total_ns | ns | time with callees
-- column:      example_call | id | calls.id of its first call
WITH params AS (SELECT coalesce(:min_callees, 7) AS min_callees)
SELECT f.name AS function,
       f.location,
       s.callees,
       s.callers,
       s.calls,
       s.child_calls,
       f.size,
       s.self_ns,
       s.total_ns,
       s.first_call_id AS example_call
FROM function_stats s
     JOIN function_details f ON f.id = s.function_id
     CROSS JOIN params
WHERE s.callees >= params.min_callees
ORDER BY s.callees DESC, s.calls DESC, s.function_id
