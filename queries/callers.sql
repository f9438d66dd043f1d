-- title:       Callers
-- question:    Who calls each function, from where and how often?
-- group:       Time
-- description: The callers of a function, from which line they called it, how often, and how long
--              those calls took. The dearest calls come first.
-- advice:      Name the function with --function. Avoid the calls of the caller with the most time,
--              or make them cheaper. A row without a caller was called by code without hooks (a
--              library, the start of a thread).
-- source:      gprof's call graph, with exact times for each caller instead of shares
-- report:      none
-- param:       function = NULL | - | the function called, a pattern (all functions)
-- filter:      function = function
-- column:      function | - | the function called
-- column:      location | - | where it is defined
-- column:      caller | - | the function that called it
-- column:      called_from | - | file and line of the call; (inlined): not known, because the compiler inlined the function
-- column:      calls | calls | calls from there
-- column:      share | % | of all calls of the function
-- column:      cpu_ns | ns | processor time in those calls with callees, outermost activations; NULL = all were within others of the function
-- column:      self_cpu_ns | ns | processor time in the function's own code in those calls
-- column:      wait_ns | ns | time waited in those calls
-- column:      cpu_per_call_ns | ns a call | processor time with callees a call
-- column:      first_call | id | calls.id of the first such call
-- column:      slowest_call | id | calls.id of the slowest
WITH params AS (SELECT :function AS function),
     entered AS MATERIALIZED (SELECT DISTINCT callee_id, site_id FROM edges WHERE site_id IS NOT NULL),
     placed AS MATERIALIZED ( -- the hooks of a body that was inlined tell the call site of the function it lies in
       SELECT e.id, e.caller_id, e.callee_id, e.calls, e.cpu_ns, e.self_cpu_ns, e.wait_ns, e.first_call_id, e.slowest_call_id,
              CASE WHEN e.caller_id <> e.callee_id AND (e.caller_id, e.site_id) IN entered THEN '(inlined)'
                   ELSE s.location END AS called_from
       FROM params CROSS JOIN functions f CROSS JOIN edges e ON e.callee_id = f.id LEFT JOIN site_details s ON s.id = e.site_id
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
     timed AS ( -- a recursive function's time counts in its outermost activations
       SELECT l.*, CASE WHEN st.recursive_calls > 0 AND l.cpu_ns < l.self_cpu_ns THEN NULL ELSE l.cpu_ns END AS whole_ns,
              st.calls AS all_calls, st.cpu_ns AS all_cpu_ns
       FROM lines l JOIN function_stats st ON st.function_id = l.callee_id)
SELECT f.name AS function,
       f.location,
       coalesce(c.name, '(no instrumented caller)') AS caller,
       e.called_from,
       e.calls,
       round(100.0 * e.calls / e.all_calls, 1) AS share,
       e.whole_ns AS cpu_ns,
       e.self_cpu_ns,
       e.wait_ns,
       round(1.0 * e.whole_ns / e.calls, 1) AS cpu_per_call_ns,
       e.first_call_id AS first_call,
       e.slowest_call_id AS slowest_call
FROM timed e
     CROSS JOIN params
     JOIN function_details f ON f.id = e.callee_id
     LEFT JOIN functions c ON c.id = e.caller_id
ORDER BY CASE WHEN params.function IS NOT NULL THEN e.all_cpu_ns END DESC,
         CASE WHEN params.function IS NOT NULL THEN e.callee_id END,
         e.cpu_ns DESC, e.wait_ns DESC, e.calls DESC, e.id
