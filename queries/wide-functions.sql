-- title:       Wide functions
-- question:    Which functions call the most others?
-- group:       Inlining and call structure
-- description: Functions that call many distinct functions directly when they are called from one place:
--              candidates to split. A call through a pointer counts as one callee, accessors as none.
-- advice:      A function that knows many others is hard to test and to change: group the callees
--              by what they are for, and give each group a function of its own. A function that
--              calls many in all, but few for each place that calls it, has several uses: split it
--              by these. Dispatchers and interpreters' main loops are naturally wide; main and
--              other functions without a caller are left out.
-- source:      fan-out: Henry & Kafura 1981
-- report:      overview
-- param:       min_size = 130 | bytes | with the hooks: do not count callees with less code that call nothing
-- param:       min_callees = 7 | functions | leave out functions that call fewer, from the widest site
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      callees | functions | distinct functions that it called directly
-- column:      site_callees | functions | the most of these when called from one call site
-- column:      pointers | sites | among the callees: calls through a pointer, each counted as one
-- column:      widest_site | - | that site
-- column:      callers | functions | distinct functions that called it
-- column:      calls | calls | calls of it
-- column:      child_calls | calls | calls that it made
-- column:      size | bytes | size of its code
-- column:      self_cpu_ns | ns | processor time in its own code
-- column:      cpu_ns | ns | processor time with callees
-- column:      example_call | id | calls.id of its first call
WITH params AS (SELECT coalesce(:min_callees, 7) AS min_callees, coalesce(:min_size, 130) AS min_size),
     wide AS MATERIALIZED (
       SELECT s.* FROM function_stats s CROSS JOIN params
       WHERE s.callees >= params.min_callees AND s.callers > 0),
     accessors AS MATERIALIZED (
       SELECT f.id FROM functions f CROSS JOIN params
       WHERE f.call_targets = 0 AND f.size < params.min_size
         AND f.id NOT IN ( -- itself, or through a pointer
           SELECT caller_id FROM edge_details WHERE caller_id IS NOT NULL AND NOT inlined)),
     jumped AS MATERIALIZED (SELECT caller_id, coalesce(site_id, 0) AS site_id, callee_id FROM tail_calls),
     called AS MATERIALIZED ( -- what a call through a pointer reaches is its caller's choice: one callee a site
       SELECT c.caller_id AS function_id, c.caller_site_id AS site_id,
              CASE p.indirect WHEN 1 THEN -p.id ELSE c.callee_id END AS callee
       FROM context_edges c JOIN functions f ON f.id = c.caller_id
            LEFT JOIN sites p ON p.id = c.site_id AND c.site_id IS NOT c.caller_site_id
            LEFT JOIN jumped j ON j.caller_id = c.caller_id AND j.site_id = coalesce(c.site_id, 0)
                                  AND j.callee_id = c.callee_id
       WHERE c.caller_id IN (SELECT function_id FROM wide) AND c.callee_id NOT IN (SELECT id FROM accessors)
         -- of optimised code: not what an inlined function calls, or one that it called last
         AND (f.module_id NOT IN (SELECT id FROM plain_modules)
              OR p.file_id IS NULL OR f.file_id IS NULL OR p.file_id = f.file_id AND p.line >= f.line)
         AND j.callee_id IS NULL), -- NOT IN of three columns looks through all
     counted AS (
       SELECT function_id, count(DISTINCT callee) AS callees, count(DISTINCT CASE WHEN callee < 0 THEN callee END) AS pointers
       FROM called GROUP BY function_id),
     by_site AS (
       SELECT function_id, site_id, count(DISTINCT callee) AS callees FROM called GROUP BY function_id, site_id),
     widest AS (
       SELECT function_id, site_id, callees,
              row_number() OVER (PARTITION BY function_id ORDER BY callees DESC, site_id) AS place
       FROM by_site)
SELECT f.name AS function,
       f.location,
       counted.callees,
       widest.callees AS site_callees,
       counted.pointers,
       p.location AS widest_site,
       s.callers,
       s.calls,
       s.child_calls,
       f.size,
       s.self_cpu_ns,
       s.cpu_ns,
       s.first_call_id AS example_call
FROM wide s
     JOIN counted ON counted.function_id = s.function_id
     JOIN widest ON widest.function_id = s.function_id AND widest.place = 1
     JOIN function_details f ON f.id = s.function_id
     LEFT JOIN site_details p ON p.id = widest.site_id
     CROSS JOIN params
WHERE widest.callees >= params.min_callees
ORDER BY counted.callees DESC, s.calls DESC, s.function_id
