-- title:       Hot functions
-- question:    Which functions' own code took the time?
-- group:       Time
-- description: Where the run spent its time: functions by the time in their own code, the hooks' cost taken
--              out.
-- advice:      Start with the first rows: making a function with a small share faster gains little.
--              A function with many calls and little time a call is better inlined or called less
--              often than tuned. Below 100 ns a call trust counts and ranks, not nanoseconds;
--              what is less than the hooks' cost is shown as ~N ns.
-- source:      gprof's flat profile (Graham, Kessler & McKusick 1982), with exact counts
-- report:      overview
-- param:       min_calls = 1 | calls | leave out functions with fewer calls
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      self_ns | ns | time in its own code, hooks' cost taken out
-- column:      share | % | part of the run's whole self time
-- column:      total_ns | ns | time with callees, outermost activations
-- column:      calls | calls | calls
-- column:      self_per_call_ns | ns a call | self time a call
-- column:      raw_self_ns | ns | self time as measured, with the hooks' cost
-- column:      slowest_call | id | calls.id of its slowest call
-- column:      module | - | where it was loaded from
WITH params AS (SELECT coalesce(:min_calls, 1) AS min_calls),
     whole AS (SELECT sum(self_ns) AS self_ns FROM function_stats)
SELECT f.name AS function,
       f.location,
       s.self_ns,
       round(100.0 * s.self_ns / nullif(whole.self_ns, 0), 2) AS share,
       s.total_ns,
       s.calls,
       round(1.0 * s.self_ns / s.calls, 1) AS self_per_call_ns,
       s.raw_self_ns,
       s.slowest_call_id AS slowest_call,
       f.module
FROM function_stats s
     JOIN function_details f ON f.id = s.function_id
     CROSS JOIN params CROSS JOIN whole
WHERE s.calls >= params.min_calls
ORDER BY s.self_ns DESC, s.calls DESC, s.function_id
