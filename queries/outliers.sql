-- title:       Outliers
-- question:    Whose times differ the most from call to call?
-- group:       Time
-- description: Functions whose call times vary widely: most calls are quick, some are many times
--              slower, in the function's own code (if a callee is slow, the callee has the row). A
--              row has the fastest and the slowest call with their stacks, so that you can compare
--              a slow path with a fast one.
-- advice:      Compare the two stacks and what the calls did (fisql query, or SQL over calls between
--              the two ids). A slow call with the same stack points at data, locks, page faults or
--              the scheduler; another stack points at what a caller asked for. The times of a function that
--              is meant to do different amounts of work vary by design. Recursive functions are left out:
--              their outer calls last longer than those within them.
-- source:      standard deviation over the finished calls; variance = m2 / (n - 1). Slow calls are counted by
--              the histogram; up to 16 of them are kept with their time
-- needs:       calls
-- report:      findings
-- param:       min_calls = 10 | calls | leave out functions with fewer finished calls
-- param:       min_variation = 1.0 | - | least coefficient of variation (deviation / mean)
-- param:       min_max_ns = 1000 | ns | a call that is shorter is not slow
-- param:       min_share = 5 | % | take functions with rare slow calls (less than 1 of 100) from this share of the run on
-- param:       min_slow_share = 0.1 | % | leave out functions whose slow calls took less of the run
-- param:       max_slow = 10 | % | where more of the calls are slow they are no exception
-- param:       min_self = 50 | % | least share of the slow calls that was the function's own code
-- param:       stacks = 20 | rows | give the stacks for this many rows
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      calls | calls | finished calls
-- column:      slow_calls | calls | those in the ranges (powers of two) from 8 times the median and from min_max_ns on
-- column:      slow_ns | ns | processor time in these; of more than 16 about
-- column:      min_ns | ns a call | fastest call
-- column:      mean_ns | ns a call | mean
-- column:      max_ns | ns | slowest call
-- column:      deviation_ns | ns | standard deviation
-- column:      variation | - | coefficient of variation: deviation / mean
-- column:      fastest_call | id | calls.id of the fastest call
-- column:      slowest_call | id | calls.id of the slowest call
-- column:      fastest_stack | stack | callers of the fastest call, outermost first
-- column:      slowest_stack | stack | callers of the slowest call, outermost first
WITH RECURSIVE
     params AS (SELECT coalesce(:min_calls, 10) AS min_calls,
                       coalesce(:min_variation, 1.0) AS min_variation,
                       coalesce(:min_max_ns, 1000) AS min_max_ns,
                       coalesce(:min_share, 5) AS min_share,
                       coalesce(:min_slow_share, 0.1) AS min_slow_share,
                       coalesce(:max_slow, 10) AS max_slow,
                       coalesce(:min_self, 50) AS min_self,
                       coalesce(:stacks, 20) AS stacks),
     whole AS (SELECT sum(self_cpu_ns) AS cpu_ns FROM function_stats),
     counted AS MATERIALIZED ( -- of the histogram: a range counts with its middle
       SELECT d.function_id, sum(d.count) AS calls, sum(d.count * 1.5 * (1 << min(d.log2, 60))) AS ns
       FROM durations d JOIN function_stats s ON s.function_id = d.function_id CROSS JOIN params
       WHERE (1 << min(d.log2, 60)) >= max(8 * coalesce(s.median_ns, 0), params.min_max_ns)
       GROUP BY d.function_id),
     kept AS MATERIALIZED ( -- those of the slow calls whose time is known
       SELECT c.function_id, count(*) AS calls, sum(s.cpu_ns) AS ns
       FROM counted c JOIN slow_calls s ON s.function_id = c.function_id AND s.rank <= c.calls
       GROUP BY c.function_id),
     slow AS MATERIALIZED (
       SELECT c.function_id, c.calls,
              CASE WHEN kept.calls >= c.calls THEN kept.ns
                   ELSE max(coalesce(kept.ns, 0), min(c.ns, 1.0 * c.calls * s.max_ns, s.cpu_ns)) END AS ns
       FROM counted c JOIN function_stats s ON s.function_id = c.function_id LEFT JOIN kept ON kept.function_id = c.function_id),
     scattered AS MATERIALIZED (
       SELECT s.function_id, s.finished, s.min_ns, s.mean_ns, s.max_ns,
              sqrt(s.m2 / (s.finished - 1)) AS deviation_ns,
              s.fastest_call_id, s.slowest_call_id, coalesce(slow.calls, 0) AS slow_calls, coalesce(slow.ns, 0) AS slow_ns,
              row_number() OVER (ORDER BY slow.ns DESC, s.m2 DESC, s.function_id) AS place
       FROM function_stats s CROSS JOIN params CROSS JOIN whole LEFT JOIN slow ON slow.function_id = s.function_id
       WHERE s.recursive_calls = 0
         -- the own code: of all its calls it took no less; of the slow ones that are kept most
         AND 100.0 * s.self_cpu_ns >= params.min_self * coalesce(slow.ns, 0)
         AND s.finished >= params.min_calls AND s.finished > 1 AND s.mean_ns > 0
         AND s.max_ns >= params.min_max_ns
         AND (s.p99_ns >= max(8 * s.median_ns, params.min_max_ns)
              OR 100 * coalesce(slow.ns, 0) >= params.min_share * whole.cpu_ns)
         AND 100 * coalesce(slow.ns, 0) >= params.min_slow_share * whole.cpu_ns
         AND 100 * coalesce(slow.calls, 0) <= params.max_slow * s.finished
         AND sqrt(s.m2 / (s.finished - 1)) >= params.min_variation * s.mean_ns
         AND NOT coalesce((
               SELECT 100.0 * sum(c.self_ns - coalesce((SELECT sum(g.wait_ns + g.preempted_ns) FROM gaps g
                                                        WHERE g.call_id = c.id AND NOT g.paused), 0))
                      < params.min_self * sum(k.raw_duration_ns - k.wait_ns - k.preempted_ns)
               FROM slow_calls k CROSS JOIN calls c ON c.id = k.call_id
               WHERE k.function_id = s.function_id AND k.rank <= max(1, coalesce(slow.calls, 1))), 0)),
     stack_top(call_id, frame_id) AS (
       SELECT fastest_call_id, (SELECT frame_id FROM calls WHERE id = fastest_call_id)
       FROM scattered CROSS JOIN params WHERE place <= params.stacks
       UNION
       SELECT slowest_call_id, (SELECT frame_id FROM calls WHERE id = slowest_call_id)
       FROM scattered CROSS JOIN params WHERE place <= params.stacks),
     walk(call_id, frame_id, text) AS (
       SELECT t.call_id, fr.parent_id, f.name
       FROM stack_top t JOIN frames fr ON fr.id = t.frame_id JOIN functions f ON f.id = fr.function_id
       UNION ALL
       SELECT w.call_id, fr.parent_id, f.name || ' => ' || w.text
       FROM walk w JOIN frames fr ON fr.id = w.frame_id JOIN functions f ON f.id = fr.function_id
       WHERE coalesce(fr.parent_id, 0) < fr.id),
     stacks AS MATERIALIZED (SELECT call_id, text FROM walk WHERE frame_id IS NULL)
SELECT f.name AS function,
       f.location,
       o.finished AS calls,
       o.slow_calls,
       CAST(o.slow_ns AS INTEGER) AS slow_ns,
       o.min_ns,
       round(o.mean_ns, 1) AS mean_ns,
       o.max_ns,
       round(o.deviation_ns, 1) AS deviation_ns,
       round(o.deviation_ns / o.mean_ns, 2) AS variation,
       o.fastest_call_id AS fastest_call,
       o.slowest_call_id AS slowest_call,
       (SELECT text FROM stacks WHERE call_id = o.fastest_call_id) AS fastest_stack,
       (SELECT text FROM stacks WHERE call_id = o.slowest_call_id) AS slowest_stack
FROM scattered o JOIN function_details f ON f.id = o.function_id
ORDER BY o.place
