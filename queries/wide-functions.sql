-- title:       Wide functions
-- question:    Which functions call the most others?
-- group:       Inlining and call structure
-- description: Functions that call many distinct functions directly when they are called from one place:
--              candidates to split.
-- advice:      A function that knows many others is hard to test and to change: group the callees by
--              what they are for, and give each group a function of its own. A function that calls many in
--              all and few from each place it is called from has several uses: split it by these.
--              Dispatchers, interpreters' main loops and main itself are naturally wide.
-- source:      fan-out: Henry & Kafura 1981
-- report:      overview
-- param:       min_callees = 7 | functions | leave out functions that call fewer, from the widest site
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      callees | functions | distinct functions that it called directly
-- column:      site_callees | functions | the most of these when called from one call site
-- column:      widest_site | - | that site
-- column:      callers | functions | distinct functions that called it
-- column:      calls | calls | calls of it
-- column:      child_calls | calls | calls that it made
-- column:      size | bytes | size of its code
-- column:      self_cpu_ns | ns | processor time in its own code
-- column:      cpu_ns | ns | processor time with callees
-- column:      example_call | id | calls.id of its first call
WITH params AS (SELECT coalesce(:min_callees, 7) AS min_callees),
     wide AS MATERIALIZED (
       SELECT s.* FROM function_stats s CROSS JOIN params WHERE s.callees >= params.min_callees),
     by_site AS MATERIALIZED (
       SELECT w.function_id, fr.site_id, count(DISTINCT child.function_id) AS callees
       FROM wide w JOIN frames fr ON fr.function_id = w.function_id
            JOIN frames child ON child.parent_id = fr.id
       GROUP BY w.function_id, fr.site_id),
     widest AS (
       SELECT function_id, site_id, callees,
              row_number() OVER (PARTITION BY function_id ORDER BY callees DESC, site_id) AS place
       FROM by_site)
SELECT f.name AS function,
       f.location,
       s.callees,
       widest.callees AS site_callees,
       p.location AS widest_site,
       s.callers,
       s.calls,
       s.child_calls,
       f.size,
       s.self_cpu_ns,
       s.cpu_ns,
       s.first_call_id AS example_call
FROM wide s
     JOIN widest ON widest.function_id = s.function_id AND widest.place = 1
     JOIN function_details f ON f.id = s.function_id
     LEFT JOIN site_details p ON p.id = widest.site_id
     CROSS JOIN params
WHERE widest.callees >= params.min_callees
ORDER BY s.callees DESC, s.calls DESC, s.function_id
