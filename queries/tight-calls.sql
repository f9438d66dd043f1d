-- title:       Tight calls
-- question:    Which functions are called in quick succession?
-- group:       Inlining and call structure
-- description: Functions that one call of a caller invokes again and again, with a very short typical time from
--              one invocation to the next (the commonest power of two): they sit in an inner loop.
-- advice:      In an inner loop a call's own cost counts: make the function inline, hoist what does not change
--              out of the loop, or handle many items in one call. What the compiler may inline, and
--              calls through pointers, are left out. Some 20 to 40 ns of the time between two calls are
--              the hooks'.
-- source:      histogram of the times between entries, log2 buckets, by thread; edges by call site
-- report:      findings
-- hides:       inlined=1: the compiler may inline them, or they are called through a pointer; min_saved=0: they would save less than a thousandth of the processor time
-- param:       max_mode_ns = 100 | ns | leave out functions whose commonest interval is longer
-- param:       min_share = 50 | % | least share of the intervals that lie in the commonest range
-- param:       min_repeats = 4 | calls | leave out callers that make fewer in a call of theirs, on average
-- param:       min_calls = 1000 | calls | leave out callers that make fewer in all
-- param:       min_saved = 0.1 | % | leave out what would save less of the run's processor time, at 2 ns a call
-- param:       inlined = 0 | 0 or 1 | 1 = also what the compiler may inline, or calls through a pointer
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      called_from | - | the call site with most calls
-- column:      caller | - | the function with the loop
-- column:      mode | ns | the commonest range of the time between two entries
-- column:      share | % | of the intervals in that range
-- column:      site_share | % | of the caller's calls that came from this site
-- column:      calls | calls | calls by the caller
-- column:      self_cpu_ns | ns | processor time in its own code in these calls, hooks' cost taken out
-- column:      self_per_call_ns | ns a call | the same a call
-- column:      compiler | - | what -O2 makes of the call: keeps it, may inline it or cannot, and why
-- column:      first_call | id | calls.id of the first of them
WITH params AS (SELECT coalesce(:max_mode_ns, 100) AS max_mode_ns, coalesce(:min_share, 50) AS min_share,
                       coalesce(:min_repeats, 4) AS min_repeats,
                       coalesce(:min_calls, 1000) AS min_calls, coalesce(:inlined, 0) AS inlined,
                       coalesce(:min_saved, 0.1) AS min_saved),
     whole AS MATERIALIZED (SELECT total(self_cpu_ns) AS cpu_ns FROM function_stats),
     ranges AS (
       SELECT function_id, log2, count, sum(count) OVER (PARTITION BY function_id) AS all_count,
              row_number() OVER (PARTITION BY function_id ORDER BY count DESC, log2) AS choice
       FROM intervals),
     tight AS (
       SELECT r.* FROM ranges r JOIN function_stats s ON s.function_id = r.function_id CROSS JOIN params
       WHERE r.choice = 1 AND r.log2 < 40 AND (1 << r.log2) <= params.max_mode_ns
         AND 100 * r.count >= params.min_share * r.all_count AND s.calls >= params.min_calls),
     placed AS (
       SELECT e.*, row_number() OVER (PARTITION BY e.callee_id, e.caller_id ORDER BY e.calls DESC, e.site_id) AS place
       FROM tight t JOIN edge_details e ON e.callee_id = t.function_id),
     by_caller AS ( -- site_id is that of the most calls
       SELECT e.callee_id, e.caller_id, max(CASE place WHEN 1 THEN e.site_id END) AS site_id,
              max(e.calls) AS site_calls, sum(e.calls) AS calls,
              sum(e.self_cpu_ns) AS self_cpu_ns, min(e.first_call_id) AS first_call_id, min(e.kept) AS kept,
              coalesce(min(CASE WHEN NOT e.kept THEN e.compiler END), min(e.compiler)) AS compiler
       FROM placed e
       GROUP BY e.callee_id, e.caller_id)
SELECT f.name AS function,
       f.location,
       p.location AS called_from,
       c.name AS caller,
       CASE r.log2 WHEN 0 THEN '0..1' ELSE (1 << r.log2) || '..' || ((2 << r.log2) - 1) END AS mode,
       round(100.0 * r.count / r.all_count, 1) AS share,
       round(100.0 * a.site_calls / a.calls, 1) AS site_share,
       a.calls,
       a.self_cpu_ns,
       round(1.0 * a.self_cpu_ns / a.calls, 1) AS self_per_call_ns,
       a.compiler,
       a.first_call_id AS first_call
FROM tight r
     JOIN by_caller a ON a.callee_id = r.function_id
     JOIN function_stats s ON s.function_id = r.function_id
     JOIN function_details f ON f.id = r.function_id
     JOIN functions c ON c.id = a.caller_id
     JOIN site_details p ON p.id = a.site_id
     CROSS JOIN params CROSS JOIN whole
     JOIN callee_runs q ON q.caller_id = a.caller_id AND q.callee_id = a.callee_id
WHERE (a.kept = 1 OR params.inlined) AND a.calls >= params.min_calls AND q.calls >= params.min_repeats * q.caller_calls
  AND s.recursive_calls = 0 AND 100 * a.calls * 2 >= params.min_saved * whole.cpu_ns
ORDER BY a.kept DESC, a.calls DESC, r.log2, s.function_id, a.caller_id
