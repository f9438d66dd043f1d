-- title:       Inline candidates
-- question:    Which small, often called functions to inline?
-- group:       Inlining and call structure
-- description: Calls that remain in a build without hooks, because the compiler does not see the
--              function's code where it is called, and that would go if it did: calls of small
--              functions whose own code calls nothing, and of functions with a single caller.
-- advice:      Define a small one static inline in its header. Move one with a single caller into
--              the caller's file and make it static: with one call site the code does not even
--              grow. -flto does both for the whole program. saved_ns is an estimate of what a build
--              without hooks at -O2 gains. Left out are static and C++ inline functions, and
--              functions with several callers in their own translation unit (there the compiler
--              decided already), calls through pointers or from other modules, and functions that
--              take so long, with callees, that a call's cost is less than a hundredth. A function
--              that others may replace (a plugin, a shared library's interface) has to stay a call.
--              With one caller the advice is wrong if another input would bring others
--              (code_callers counts them).
-- source:      inlining of functions called once: gcc -finline-functions-called-once. call_ns: a call of a
--              function in another unit against the same inlined, measured in a loop: 0.6 to 1.3 ns at 3 GHz;
--              registers saved around a call add to it in larger functions
-- report:      findings
-- hides:       inlined=1: the compiler decided on them already, or cannot inline them
-- param:       min_calls = 100 | calls | leave out functions with fewer such calls
-- param:       max_size = 160 | bytes | of code with the hooks, which take 60: leave out larger functions that several call
-- param:       max_growth = 300 | bytes | leave out others that several sites call where copies take more
-- param:       max_self_ns = 150 | ns a call | leave out functions that take longer, with callees
-- param:       call_ns = 1.5 | ns a call | what a call costs in a build without hooks
-- param:       min_share = 0.1 | % | leave out what saves less of the run's processor time
-- param:       inlined = 0 | 0 or 1 | 1 = also what the compiler inlines or may, and calls through a pointer
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      caller | - | the function that makes most of the calls
-- column:      caller_location | - | where that is defined
-- column:      callers | functions | that make them
-- column:      sites | sites | distinct places they are made from
-- column:      code_callers | functions | whose code calls it, in this run or not (of its module)
-- column:      calls | calls | such calls
-- column:      saved_ns | ns | what a build without hooks would save, about: calls times call_ns
-- column:      size | bytes | size of its code, with the hooks
-- column:      self_per_call_ns | ns a call | processor time in its own code a call, hooks' cost taken out
-- column:      compiler | - | what -O2 makes of the calls: keeps them, may inline them or cannot, and why
-- column:      example_call | id | calls.id of its first call
WITH params AS (SELECT coalesce(:min_calls, 100) AS min_calls,
                       coalesce(:max_size, 160) AS max_size,
                       coalesce(:max_growth, 300) AS max_growth,
                       coalesce(:max_self_ns, 150) AS max_self_ns,
                       coalesce(:call_ns, 1.5) AS call_ns,
                       coalesce(:min_share, 0.1) AS min_share,
                       coalesce(:inlined, 0) AS inlined),
     whole AS (SELECT sum(self_cpu_ns) AS self_cpu_ns FROM function_stats),
     brief AS MATERIALIZED (
       SELECT s.function_id, s.calls, s.callers, s.self_cpu_ns, s.first_call_id, f.unit, f.call_sources,
              f.call_targets = 0
              AND f.size <= params.max_size - 60 * (f.module_id IN (SELECT id FROM plain_modules))
              AND (params.inlined OR NOT EXISTS ( -- through a pointer
                SELECT 1 FROM edge_details e WHERE e.caller_id = f.id AND NOT e.inlined)) AS small,
              s.callers = 1 AND f.call_sources <= 1 AND s.root_calls = 0 AND s.recursive_calls = 0 AS single
       FROM function_stats s JOIN functions f ON f.id = s.function_id CROSS JOIN params
       WHERE (f.scope = 'global' OR params.inlined) AND s.calls >= params.min_calls
         AND s.cpu_ns <= params.max_self_ns * s.calls),
     by_caller AS MATERIALIZED (
       SELECT e.callee_id, e.caller_id, sum(e.calls) AS calls, count(DISTINCT e.site_id) AS sites,
              min(e.kept) AS kept, min(coalesce(e.compiler, 'unknown: the call was not found in the code')) AS compiler,
              row_number() OVER (PARTITION BY e.callee_id ORDER BY sum(e.calls) DESC, e.caller_id) AS place
       FROM brief b JOIN edge_details e ON e.callee_id = b.function_id
            LEFT JOIN functions host ON host.id = e.site_function_id
            CROSS JOIN params
       WHERE (b.small OR b.single) AND (params.inlined OR e.kept AND (host.unit <> b.unit OR b.call_sources <= 1))
       GROUP BY e.callee_id, e.caller_id),
     called AS MATERIALIZED (
       SELECT callee_id, sum(calls) AS calls, sum(sites) AS sites, count(*) AS callers, min(kept) AS kept,
              max(CASE place WHEN 1 THEN compiler END) AS compiler,
              max(CASE place WHEN 1 THEN caller_id END) AS caller_id
       FROM by_caller GROUP BY callee_id)
SELECT f.name AS function,
       f.location,
       c.name AS caller,
       c.location AS caller_location,
       called.callers,
       called.sites,
       b.call_sources AS code_callers,
       called.calls,
       CAST(called.calls * params.call_ns AS INTEGER) AS saved_ns,
       f.size,
       round(1.0 * b.self_cpu_ns / b.calls, 1) AS self_per_call_ns,
       called.compiler,
       b.first_call_id AS example_call
FROM called
     JOIN brief b ON b.function_id = called.callee_id
     JOIN function_details f ON f.id = called.callee_id
     JOIN function_details c ON c.id = called.caller_id
     CROSS JOIN params CROSS JOIN whole
WHERE called.calls >= params.min_calls
  AND (b.small OR f.size * (called.sites - 1) <= params.max_growth)
  AND 100 * called.calls * params.call_ns >= params.min_share * whole.self_cpu_ns
ORDER BY called.kept DESC, called.compiler GLOB 'may*' DESC, called.calls DESC, b.call_sources, f.size, b.function_id
