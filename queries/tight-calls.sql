-- title:       Tight calls
-- question:    Which functions are called in quick succession?
-- group:       Inlining and call structure
-- description: Functions whose typical time from one invocation to the next (the commonest power of
--              two) is very short: they sit in an inner loop.
-- advice:      In an inner loop a call's own cost counts: make it inline, hoist what does not change
--              out of the loop, or handle many items in one call. Some 20 to 40 ns of the time between
--              two calls are the hooks'.
-- source:      histogram of the times between entries, log2 buckets, by thread
-- report:      findings
-- param:       max_mode_ns = 1000 | ns | leave out functions whose commonest interval is longer
-- param:       min_share = 50 | % | least share of the intervals that lie in the commonest range
-- param:       min_calls = 100 | calls | leave out functions with fewer calls
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      mode | ns | the commonest range of the time between two entries
-- column:      share | % | of the intervals in that range
-- column:      calls | calls | calls
-- column:      self_ns | ns | time in its own code, hooks' cost taken out
-- column:      self_per_call_ns | ns a call | the same a call
-- column:      callers | functions | distinct functions that call it
-- column:      first_call | id | calls.id of its first call
WITH params AS (SELECT coalesce(:max_mode_ns, 1000) AS max_mode_ns, coalesce(:min_share, 50) AS min_share,
                       coalesce(:min_calls, 100) AS min_calls),
     ranges AS (
       SELECT function_id, log2, count, sum(count) OVER (PARTITION BY function_id) AS all_count,
              row_number() OVER (PARTITION BY function_id ORDER BY count DESC, log2) AS choice
       FROM intervals)
SELECT f.name AS function,
       f.location,
       CASE r.log2 WHEN 0 THEN '0..1' ELSE (1 << r.log2) || '..' || ((2 << r.log2) - 1) END AS mode,
       round(100.0 * r.count / r.all_count, 1) AS share,
       s.calls,
       s.self_ns,
       round(1.0 * s.self_ns / s.calls, 1) AS self_per_call_ns,
       s.callers,
       s.first_call_id AS first_call
FROM ranges r
     JOIN function_stats s ON s.function_id = r.function_id
     JOIN function_details f ON f.id = r.function_id
     CROSS JOIN params
WHERE r.choice = 1 AND r.log2 < 40 AND (1 << r.log2) <= params.max_mode_ns
  AND 100 * r.count >= params.min_share * r.all_count AND s.calls >= params.min_calls
ORDER BY s.calls DESC, r.log2, s.function_id
