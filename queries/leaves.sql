-- title:       Leaves
-- question:    Which functions call nothing?
-- group:       Inlining and call structure
-- description: Functions that never called another instrumented function: the program's low-level layer.
-- advice:      They do the work: their share of the self time says whether to look at the
--              algorithms above them or at their instructions. Inline small ones with many calls.
--              Calls into libraries without hooks do not count as calls. -p low=1 adds the functions
--              that call leaves and libraries alone: with them, the program's low layer.
-- source:      the lowest layer of the call graph
-- report:      overview
-- param:       min_calls = 1 | calls | leave out functions with fewer calls
-- param:       low = 0 | - | 1: functions, too, that call leaves alone
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      scope | - | who can name it: its file (static), all (global), all, each file with its copy (weak); inlined: no call of it is left in a plain build
-- column:      layer | - | leaf, or low: it calls leaves alone
-- column:      calls | calls | calls
-- column:      self_cpu_ns | ns | processor time in its own code, hooks' cost taken out
-- column:      share | % | of the run's whole processor time
-- column:      self_per_call_ns | ns a call | the same a call
-- column:      callers | functions | distinct functions that called it
-- column:      size | bytes | size of its code
-- column:      inlined | % | of the calls the compiler inlined, even with their hooks: no calls in a plain build
-- column:      slowest_call | id | calls.id of its slowest call
WITH params AS (SELECT coalesce(:min_calls, 1) AS min_calls, coalesce(:low, 0) AS low),
     low AS MATERIALIZED ( -- functions whose callees are leaves
       SELECT e.caller_id AS function_id
       FROM edges e JOIN function_stats s ON s.function_id = e.callee_id
       WHERE e.caller_id IS NOT NULL AND (SELECT low FROM params) <> 0
       GROUP BY e.caller_id HAVING max(s.child_calls) = 0),
     whole AS (SELECT sum(self_cpu_ns) AS self_cpu_ns FROM function_stats),
     inlined AS MATERIALIZED (
       SELECT callee_id, 100.0 * sum(calls * inlined) / sum(calls) AS share FROM edge_details GROUP BY callee_id)
SELECT f.name AS function,
       f.location,
       CASE WHEN i.share >= 100 THEN 'inlined' ELSE g.scope END AS scope,
       CASE s.child_calls WHEN 0 THEN 'leaf' ELSE 'low' END AS layer,
       s.calls,
       s.self_cpu_ns,
       round(100.0 * s.self_cpu_ns / nullif(whole.self_cpu_ns, 0), 1) AS share,
       round(1.0 * s.self_cpu_ns / s.calls, 1) AS self_per_call_ns,
       s.callers,
       f.size,
       round(i.share, 1) AS inlined,
       s.slowest_call_id AS slowest_call
FROM function_stats s
     JOIN function_details f ON f.id = s.function_id
     JOIN functions g ON g.id = s.function_id
     CROSS JOIN params CROSS JOIN whole
     LEFT JOIN inlined i ON i.callee_id = s.function_id
WHERE (s.child_calls = 0 OR s.function_id IN (SELECT function_id FROM low)) AND s.calls >= params.min_calls
ORDER BY s.self_cpu_ns DESC, s.calls DESC, s.function_id
