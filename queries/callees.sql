-- title:       Callees
-- question:    Whom does each function call, and at what cost?
-- group:       Time
-- description: What a function called, from which line, how often, and how long those calls took:
--              where its processor time went. The dearest calls come first.
-- advice:      Name the function with --function. What is missing between the function's time and the
--              sum of its callees is its own code and code without hooks.
-- source:      gprof's call graph, with exact times
-- report:      none
-- param:       function = NULL | - | the calling function, a pattern (all functions)
-- filter:      function = function
-- column:      function | - | the calling function
-- column:      location | - | where it is defined
-- column:      callee | - | whom it called
-- column:      called_from | - | file and line of the call; (inlined): not known, because the compiler inlined the callee
-- column:      calls | calls | calls from there
-- column:      calls_per_call | - | calls for each call of the function
-- column:      cpu_ns | ns | processor time in those calls with callees, outermost activations; NULL = all were within others of the callee
-- column:      share | % | of the function's processor time
-- column:      self_cpu_ns | ns | processor time in the callee's own code in those calls
-- column:      wait_ns | ns | time waited in those calls
-- column:      first_call | id | calls.id of the first such call
-- column:      slowest_call | id | calls.id of the slowest
WITH params AS (SELECT :function AS function),
     entered AS MATERIALIZED (SELECT DISTINCT callee_id, site_id FROM edges WHERE site_id IS NOT NULL),
     placed AS MATERIALIZED ( -- the hooks of a body that was inlined tell the call site of the function it lies in
       SELECT e.id, e.caller_id, e.callee_id, e.calls, e.cpu_ns, e.self_cpu_ns, e.wait_ns, e.first_call_id, e.slowest_call_id,
              CASE WHEN e.caller_id <> e.callee_id AND (e.caller_id, e.site_id) IN entered THEN '(inlined)'
                   ELSE s.location END AS called_from
       FROM params CROSS JOIN functions f CROSS JOIN edges e ON e.caller_id = f.id LEFT JOIN site_details s ON s.id = e.site_id
       WHERE params.function IS NULL OR f.name GLOB params.function),
     ranked AS (
       SELECT p.*, row_number() OVER (PARTITION BY p.caller_id, p.callee_id, p.called_from
                                      ORDER BY s.cpu_ns DESC, 1.0 * p.cpu_ns / p.calls DESC, p.id) AS place
       FROM placed p LEFT JOIN slow_calls s ON s.function_id = p.callee_id AND s.call_id = p.slowest_call_id),
     -- one row for a line, however many copies of it there are in the code
     lines AS MATERIALIZED (
       SELECT p.caller_id, p.callee_id, p.called_from, min(p.id) AS id, sum(p.calls) AS calls, sum(p.cpu_ns) AS cpu_ns,
              sum(p.self_cpu_ns) AS self_cpu_ns, sum(p.wait_ns) AS wait_ns, min(p.first_call_id) AS first_call_id,
              max(CASE p.place WHEN 1 THEN p.slowest_call_id END) AS slowest_call_id
       FROM ranked p
       GROUP BY p.caller_id, p.callee_id, p.called_from),
     timed AS ( -- a recursive callee's time counts in its outermost activations
       SELECT l.*, CASE WHEN callee.recursive_calls > 0 AND l.cpu_ns < l.self_cpu_ns THEN NULL ELSE l.cpu_ns END AS whole_ns
       FROM lines l JOIN function_stats callee ON callee.function_id = l.callee_id)
SELECT f.name AS function,
       f.location,
       c.name AS callee,
       e.called_from,
       e.calls,
       round(1.0 * e.calls / st.calls, 2) AS calls_per_call,
       e.whole_ns AS cpu_ns,
       round(100.0 * e.whole_ns / nullif(st.cpu_ns, 0), 1) AS share,
       e.self_cpu_ns,
       e.wait_ns,
       e.first_call_id AS first_call,
       e.slowest_call_id AS slowest_call
FROM timed e
     CROSS JOIN params
     JOIN function_details f ON f.id = e.caller_id
     JOIN function_stats st ON st.function_id = e.caller_id
     JOIN functions c ON c.id = e.callee_id
ORDER BY CASE WHEN params.function IS NOT NULL THEN st.cpu_ns END DESC,
         CASE WHEN params.function IS NOT NULL THEN e.caller_id END,
         e.cpu_ns DESC, e.wait_ns DESC, e.calls DESC, e.id
