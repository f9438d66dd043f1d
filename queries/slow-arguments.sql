-- title:       Slow arguments
-- question:    Which argument values make a function slow?
-- group:       Arguments and results
-- description: Values that the slow calls of a function have and the fast ones lack: calls with
--              such an argument take several times the processor time of the function's other
--              calls, and not just one of them. The values with the most time beyond that of the
--              other calls come first.
-- advice:      Compare slowest_call with other_call (fisql trace, fisql stack): what this value
--              makes the function do is the slow path. If the value is a mode or a flag that asks
--              for more, all is well; if it should not matter, look closer. Left out are numbers
--              that are no slower than their size explains (`fisql query cost-by-argument` has
--              these), addresses, and recursive functions.
-- source:      mean of the calls with a value against the mean of the function's other calls; of more than 64 values
--              the commonest
-- report:      findings
-- needs:       values
-- param:       min_ratio = 4 | - | least ratio of the two means
-- param:       min_calls = 3 | calls | leave out values with fewer calls
-- param:       max_calls = 20 | % | what more of the calls have is no exception
-- param:       min_mean_ns = 1000 | ns | a call that is shorter is not slow
-- param:       min_share = 0.1 | % | leave out values whose calls took less of the run beyond the others' mean
-- param:       min_part = 5 | % | leave out values whose excess is less of the function's calls' time: others are as slow
-- param:       values = 2 | values | give so many of a function
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      parameter | - | its name
-- column:      value | - | that makes it slow
-- column:      calls | calls | with this value
-- column:      all_calls | calls | with a known argument
-- column:      mean_ns | ns a call | processor time of a call with this value
-- column:      other_ns | ns a call | of the function's other calls
-- column:      ratio | - | the one by the other
-- column:      excess_ns | ns | processor time of these calls beyond the others' mean
-- column:      share | % | of the run's processor time
-- column:      slowest_call | id | calls.id of the slowest call with this value
-- column:      other_call | id | calls.id of a call with the commonest of the others
WITH params AS (SELECT coalesce(:min_ratio, 4) AS min_ratio, coalesce(:min_calls, 3) AS min_calls,
                       coalesce(:max_calls, 20) AS max_calls, coalesce(:min_mean_ns, 1000) AS min_mean_ns,
                       coalesce(:min_share, 0.1) AS min_share, coalesce(:min_part, 5) AS min_part,
                       coalesce(:values, 2) AS values_max),
     whole AS (SELECT sum(self_cpu_ns) AS cpu_ns FROM function_stats),
     asked AS MATERIALIZED (
       SELECT p.id AS parameter_id, p.function_id, p.position, p.name, p.kind, v.calls, v.cpu_ns, whole.cpu_ns AS whole_ns
       FROM parameters p JOIN function_stats s ON s.function_id = p.function_id
            JOIN parameter_stats v ON v.parameter_id = p.id CROSS JOIN params CROSS JOIN whole
       WHERE p.position BETWEEN 1 AND 30 AND s.recursive_calls = 0 AND v.distinct_values >= 2
         AND v.calls > params.min_calls AND 100 * v.cpu_ns >= params.min_share * whole.cpu_ns),
     slow AS MATERIALIZED (
       SELECT a.*, k.rank, k.value, k.calls AS value_calls, k.slowest_call_id, 1.0 * k.cpu_ns / k.calls AS mean_ns,
              1.0 * max(1, a.cpu_ns - k.cpu_ns) / (a.calls - k.calls) AS other_ns,
              1.0 * (k.cpu_ns - k.max_ns) / (k.calls - 1) AS rest_ns
       FROM asked a CROSS JOIN params JOIN value_counts k ON k.parameter_id = a.parameter_id
       WHERE k.calls >= max(2, params.min_calls) AND k.calls < a.calls AND 100 * k.calls <= params.max_calls * a.calls
         AND k.cpu_ns >= params.min_mean_ns * k.calls
         AND (a.kind NOT IN ('pointer') OR k.value = 0)),
     exceeding AS MATERIALIZED (
       SELECT s.*, (mean_ns - other_ns) * value_calls AS excess_ns, mean_ns / other_ns AS ratio,
              CASE WHEN s.kind IN ('signed', 'unsigned') AND s.value > 0 THEN -- of how much larger an argument it is
                (SELECT s.value * sum(c.calls) / nullif(sum(abs(c.mean_value) * c.calls), 0)
                 FROM value_costs c WHERE c.parameter_id = s.parameter_id AND NOT s.value BETWEEN c.low AND c.high) END AS larger
       FROM slow s CROSS JOIN params
       WHERE mean_ns >= params.min_ratio * other_ns
         AND 2 * rest_ns >= params.min_ratio * other_ns -- without the slowest of them, too
         AND 100 * (mean_ns - other_ns) * value_calls >= params.min_share * whole_ns
         AND 100 * (mean_ns - other_ns) * value_calls >= params.min_part * cpu_ns),
     chosen AS MATERIALIZED (
       SELECT e.*, row_number() OVER (PARTITION BY function_id ORDER BY excess_ns DESC, position, rank) AS place
       FROM exceeding e CROSS JOIN params WHERE ratio >= params.min_ratio * max(1, coalesce(larger, 1)))
SELECT f.name AS function,
       f.location,
       coalesce(c.name, '(' || c.position || ')') AS parameter,
       (SELECT text FROM value_count_texts t WHERE t.parameter_id = c.parameter_id AND t.rank = c.rank) AS value,
       c.value_calls AS calls,
       c.calls AS all_calls,
       round(c.mean_ns, 1) AS mean_ns,
       round(c.other_ns, 1) AS other_ns,
       round(c.ratio, 1) AS ratio,
       CAST(c.excess_ns AS INTEGER) AS excess_ns,
       round(100.0 * c.excess_ns / nullif(c.whole_ns, 0), 1) AS share,
       c.slowest_call_id AS slowest_call,
       (SELECT k.first_call_id FROM value_counts k WHERE k.parameter_id = c.parameter_id AND k.rank <> c.rank
        ORDER BY k.rank LIMIT 1) AS other_call
FROM chosen c
     CROSS JOIN params
     JOIN function_details f ON f.id = c.function_id
WHERE c.place <= params.values_max
ORDER BY c.excess_ns DESC, c.function_id, c.place
