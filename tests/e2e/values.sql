-- Each SELECT gives the rows of what was counted of values that differ from what SQL over call_values gives:
-- nothing, in a sound database.
CREATE TEMP TABLE of_calls AS -- every call with values: where it stands, and its CPU duration if it finished
  SELECT c.id, c.thread_id, fr.function_id, c.parent_id, c.descendants, c.ended, t.cpu_ns
  FROM calls c JOIN frames fr ON fr.id = c.frame_id LEFT JOIN call_times t ON t.id = c.id
  WHERE fr.function_id IN (SELECT function_id FROM parameters);
CREATE UNIQUE INDEX temp.of_calls_id ON of_calls(id);
CREATE TEMP TABLE known AS -- every value, with its parameter
  SELECT v.id, v.call_id, v.position, p.id AS parameter_id, p.function_id, p.kind, p.at_exit, v.value, typeof(v.value) AS type,
         c.cpu_ns, c.ended, c.descendants, c.thread_id
  FROM call_values v JOIN of_calls c ON c.id = v.call_id
       JOIN parameters p ON p.function_id = c.function_id AND p.position = v.position;
CREATE INDEX temp.known_parameter ON known(parameter_id, type, value);
CREATE INDEX temp.known_call ON known(call_id, position);
SELECT 'call_values of no parameter', v.id FROM call_values v WHERE v.id NOT IN (SELECT id FROM known);
SELECT 'call_values: NULL', id FROM call_values WHERE value IS NULL;
WITH s AS (SELECT parameter_id, count(*) AS calls, coalesce(sum(cpu_ns), 0) AS cpu, count(DISTINCT type || value) AS distinct_values,
                  min(CASE WHEN type <> 'text' THEN value END) AS least, max(CASE WHEN type <> 'text' THEN value END) AS most
           FROM known GROUP BY parameter_id)
SELECT 'parameter_stats', t.parameter_id FROM parameter_stats t JOIN parameters p ON p.id = t.parameter_id
LEFT JOIN s ON s.parameter_id = t.parameter_id
WHERE t.calls IS NOT coalesce(s.calls, 0) OR t.cpu_ns IS NOT coalesce(s.cpu, 0)
   OR CASE t.counted WHEN 1 THEN t.distinct_values IS NOT coalesce(s.distinct_values, 0) ELSE t.distinct_values > s.distinct_values END
   OR (coalesce(p.kind, '') NOT IN ('pointer', 'function', 'text') AND typeof(t.max_value) <> 'text'
       AND (t.min_value IS NOT s.least OR t.max_value IS NOT s.most) AND typeof(t.min_value) <> 'null');
WITH s AS (SELECT parameter_id, type, value, count(*) AS calls, coalesce(sum(cpu_ns), 0) AS cpu, min(call_id) AS first,
                  coalesce(max(cpu_ns), 0) AS longest
           FROM known GROUP BY parameter_id, type, value)
SELECT 'value_counts', v.parameter_id, v.rank FROM value_counts v JOIN parameter_stats t ON t.parameter_id = v.parameter_id
LEFT JOIN s ON s.parameter_id = v.parameter_id AND s.type = typeof(v.value) AND s.value = v.value
WHERE s.calls IS NULL OR v.calls > s.calls OR v.calls + v.error < s.calls OR v.first_call_id < s.first
   OR (v.error = 0 AND (v.cpu_ns IS NOT s.cpu OR v.first_call_id IS NOT s.first OR v.max_ns IS NOT s.longest))
   OR v.cpu_ns > s.cpu OR v.max_ns > s.longest OR (t.counted AND v.error <> 0)
   OR (v.slowest_call_id IS NOT NULL
       AND (SELECT k.cpu_ns FROM known k WHERE k.call_id = v.slowest_call_id AND k.parameter_id = v.parameter_id AND k.value = v.value)
           IS NOT v.max_ns);
SELECT 'parameter_stats.other_calls', t.parameter_id FROM parameter_stats t
LEFT JOIN (SELECT parameter_id, sum(calls) AS calls, sum(cpu_ns) AS cpu_ns, count(*) AS count FROM value_counts GROUP BY 1) v
     ON v.parameter_id = t.parameter_id
WHERE t.other_calls IS NOT t.calls - coalesce(v.calls, 0) OR t.other_cpu_ns IS NOT t.cpu_ns - coalesce(v.cpu_ns, 0)
   OR t.other_calls < 0 OR t.other_cpu_ns < 0 OR v.count > 64 OR (t.counted AND t.distinct_values <= 64 AND t.other_calls <> 0);
SELECT 'value_counts: a commoner value is missing', t.parameter_id FROM parameter_stats t
WHERE t.counted AND t.distinct_values > 64
  AND (SELECT min(calls) FROM value_counts v WHERE v.parameter_id = t.parameter_id) <
      (SELECT max(n) FROM (SELECT count(*) AS n FROM known k WHERE k.parameter_id = t.parameter_id
                           AND NOT EXISTS (SELECT 1 FROM value_counts v WHERE v.parameter_id = k.parameter_id
                                           AND typeof(v.value) = k.type AND v.value = k.value) GROUP BY k.type, k.value));
WITH integers AS (SELECT parameter_id FROM known WHERE position BETWEEN 1 AND 30 GROUP BY parameter_id HAVING min(type) = 'integer' AND max(type) = 'integer'),
     s AS (SELECT v.parameter_id, v.low, count(*) AS calls, avg(k.value) AS mean, sum(k.descendants) AS descendants,
                  max(k.descendants) AS most, sum(k.cpu_ns) AS cpu, max(k.cpu_ns) AS longest
           FROM value_costs v JOIN known k ON k.parameter_id = v.parameter_id AND k.value BETWEEN v.low AND v.high
           WHERE k.ended < 2 GROUP BY v.parameter_id, v.low)
SELECT 'value_costs', v.parameter_id, v.low FROM value_costs v LEFT JOIN s ON s.parameter_id = v.parameter_id AND s.low = v.low
WHERE v.calls IS NOT s.calls OR abs(v.mean_value - s.mean) > 1e-9 * (1 + abs(s.mean)) OR v.descendants IS NOT s.descendants
   OR v.descendants_max IS NOT s.most OR v.cpu_ns IS NOT s.cpu OR v.max_ns IS NOT s.longest
   OR v.parameter_id NOT IN (SELECT parameter_id FROM integers)
UNION ALL
SELECT 'value_costs of all calls', k.parameter_id, count(*) FROM known k JOIN parameters p ON p.id = k.parameter_id
WHERE k.ended < 2 AND k.parameter_id IN (SELECT parameter_id FROM integers) AND p.kind IS NOT 'pointer' AND p.kind IS NOT 'function' AND p.kind IS NOT 'text'
GROUP BY k.parameter_id
HAVING count(*) IS NOT (SELECT sum(v.calls) FROM value_costs v WHERE v.parameter_id = k.parameter_id)
   AND EXISTS (SELECT 1 FROM value_costs v WHERE v.parameter_id = k.parameter_id);
CREATE TEMP TABLE tuples AS -- calls all of whose arguments are known
  SELECT c.id, c.thread_id, c.function_id, c.descendants, c.cpu_ns,
         (SELECT group_concat(k.type || ':' || k.value, char(1)) FROM (SELECT * FROM known k WHERE k.call_id = c.id AND k.position BETWEEN 1 AND 30 AND NOT k.at_exit ORDER BY k.position) k) AS tuple,
         (SELECT k.type || ':' || k.value FROM known k WHERE k.call_id = c.id AND k.position = 0) AS result
  FROM of_calls c
  WHERE (SELECT count(*) FROM known k WHERE k.call_id = c.id AND k.position BETWEEN 1 AND 30 AND NOT k.at_exit) =
        (SELECT count(*) FROM parameters p WHERE p.function_id = c.function_id AND p.position BETWEEN 1 AND 30 AND NOT p.at_exit)
    AND EXISTS (SELECT 1 FROM parameters p WHERE p.function_id = c.function_id AND p.position BETWEEN 1 AND 30)
    AND NOT EXISTS (SELECT 1 FROM known k WHERE k.call_id = c.id AND k.position BETWEEN 1 AND 30 AND NOT k.at_exit AND k.type = 'text' AND k.value LIKE '%\...');
CREATE TEMP TABLE ranked AS
  SELECT *, row_number() OVER (PARTITION BY thread_id, function_id, tuple ORDER BY id) > 1 AS repeated FROM tuples;
CREATE UNIQUE INDEX temp.ranked_id ON ranked(id);
CREATE TEMP TABLE compared AS -- with the result of the one with these arguments that ended before it
  SELECT *, lag(result) OVER (PARTITION BY thread_id, function_id, tuple ORDER BY id + descendants, id DESC) AS before
  FROM ranked WHERE result IS NOT NULL;
CREATE TEMP TABLE outermost AS -- same calls that lie in no other repeated call of the function
  SELECT c.* FROM compared c
  WHERE c.repeated AND c.before = c.result AND NOT EXISTS (
    WITH RECURSIVE up(id) AS (SELECT parent_id FROM calls WHERE id = c.id
                              UNION ALL SELECT calls.parent_id FROM up JOIN calls ON calls.id = up.id WHERE up.id IS NOT NULL)
    SELECT 1 FROM up JOIN ranked r ON r.id = up.id WHERE r.function_id = c.function_id AND r.repeated);
WITH s AS (SELECT function_id, count(*) AS calls, count(DISTINCT thread_id || char(2) || tuple) AS tuples, sum(repeated) AS repeated FROM ranked GROUP BY 1),
     r AS (SELECT function_id, sum(repeated AND before = result) AS same, sum(repeated AND before <> result) AS different FROM compared GROUP BY 1),
     o AS (SELECT function_id, sum(descendants) AS saved, sum(coalesce(cpu_ns, 0)) AS ns FROM outermost GROUP BY 1)
SELECT 'argument_repeats', t.function_id FROM argument_repeats t LEFT JOIN s ON s.function_id = t.function_id
LEFT JOIN r ON r.function_id = t.function_id LEFT JOIN o ON o.function_id = t.function_id
WHERE t.calls IS NOT coalesce(s.calls, 0)
   OR (t.sampled = 1 AND (t.tuples IS NOT coalesce(s.tuples, 0) OR t.repeated_calls IS NOT coalesce(s.repeated, 0)
       OR t.same_calls IS NOT coalesce(r.same, 0) OR t.different_calls IS NOT coalesce(r.different, 0)
       OR t.saved_calls IS NOT coalesce(o.saved, 0) OR t.saved_ns IS NOT coalesce(o.ns, 0)));
WITH s AS (SELECT c.function_id, coalesce(f.function_id, 0) AS caller_id, count(*) AS calls, min(c.id) AS first,
                  sum(k.type = 'integer' AND k.value < 0) AS below
           FROM known k JOIN of_calls c ON c.id = k.call_id LEFT JOIN calls p ON p.id = c.parent_id LEFT JOIN frames f ON f.id = p.frame_id
           WHERE k.position = 0 GROUP BY 1, 2),
     t AS (SELECT function_id, caller_id, sum(calls) AS calls, min(first_call_id) AS first,
                  sum(CASE WHEN class = 'negative' THEN calls ELSE 0 END) AS below
           FROM result_flows GROUP BY 1, 2)
SELECT 'result_flows', s.function_id, s.caller_id FROM s LEFT JOIN t ON t.function_id = s.function_id AND t.caller_id = s.caller_id
WHERE t.calls IS NOT s.calls OR t.first IS NOT s.first OR (t.below IS NOT s.below AND s.function_id NOT IN
      (SELECT function_id FROM parameters WHERE position = 0 AND kind IN ('pointer', 'function', 'text')))
UNION ALL SELECT 'result_flows of nothing', t.function_id, t.caller_id FROM t LEFT JOIN s ON s.function_id = t.function_id AND s.caller_id = t.caller_id
WHERE s.calls IS NULL;
SELECT 'result_flows.caller_class', r.function_id, r.caller_id FROM result_flows r
WHERE r.caller_class <> 'none' AND NOT EXISTS (SELECT 1 FROM known k WHERE k.function_id = r.caller_id AND k.position = 0);
SELECT 'valued_calls', l.id FROM valued_calls l LEFT JOIN of_calls c ON c.id = l.call_id
WHERE c.function_id IS NOT l.function_id
UNION ALL
SELECT 'valued_calls: missing', k.call_id FROM known k JOIN parameter_stats t ON t.parameter_id = k.parameter_id
WHERE t.listed AND NOT EXISTS (SELECT 1 FROM valued_calls l WHERE l.id = (k.function_id << 38) + k.call_id);
SELECT 'argument_repeats: more than there are', function_id FROM argument_repeats
WHERE same_calls + different_calls > repeated_calls OR repeated_calls > calls OR same_calls < 0;
