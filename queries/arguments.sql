-- title:       Arguments
-- question:    What was passed to each parameter?
-- group:       Arguments and results
-- description: For each parameter of the functions whose arguments were recorded: how many values there
--              were, the least and the greatest number, and the commonest values with their share of the
--              calls. Parameters of functions whose own code took the most processor time come first.
-- advice:      Learn what a function is really used for: which cases are common enough to be
--              handled first, which never come. A value that was never passed in this run may be
--              passed in another. `fisql query results` has the results.
-- source:      each value is counted up to 64 of them; beyond, the commonest are found by Space-Saving (Metwally,
--              Agrawal, El Abbadi 2005), and their counts are lower bounds
-- report:      none
-- needs:       values
-- param:       commonest = 3 | values | give so many of the commonest
-- param:       min_calls = 1 | calls | leave out parameters with fewer known arguments
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      position | - | 1 = the first parameter
-- column:      parameter | - | its name
-- column:      type | - | its type
-- column:      calls | calls | whose argument is known
-- column:      unknown | calls | whose argument is not
-- column:      distinct_values | values | different ones; where all_counted is 0, at least so many
-- column:      all_counted | - | 1 = each value was counted, 0 = there were too many
-- column:      least | - | the least number
-- column:      greatest | - | the greatest number
-- column:      commonest | - | the commonest values with their share of the calls
-- column:      self_cpu_ns | ns | processor time in the function's own code
-- column:      example_call | id | calls.id of the first call with the commonest value
WITH params AS (SELECT coalesce(:commonest, 3) AS commonest, coalesce(:min_calls, 1) AS min_calls)
SELECT f.name AS function,
       f.location,
       p.position,
       coalesce(p.name, '(' || p.position || ')') AS parameter,
       p.type,
       v.calls,
       v.absent + v.unreadable + v.no_room AS unknown,
       v.distinct_values,
       v.counted AS all_counted,
       CASE WHEN p.kind NOT IN ('pointer', 'function', 'text') THEN v.min_value END AS least,
       CASE WHEN p.kind NOT IN ('pointer', 'function', 'text') THEN v.max_value END AS greatest,
       (SELECT group_concat(text || ' (' || share || ' %)', ', ')
        FROM (SELECT t.text, round(100.0 * k.calls / v.calls, 1) AS share
              FROM value_counts k JOIN value_count_texts t ON t.parameter_id = k.parameter_id AND t.rank = k.rank
              WHERE k.parameter_id = p.id AND k.rank <= params.commonest AND k.calls > 0 ORDER BY k.rank)) AS commonest,
       s.self_cpu_ns,
       (SELECT k.first_call_id FROM value_counts k WHERE k.parameter_id = p.id AND k.rank = 1) AS example_call
FROM parameters p
     CROSS JOIN params
     JOIN parameter_stats v ON v.parameter_id = p.id
     JOIN function_stats s ON s.function_id = p.function_id
     JOIN function_details f ON f.id = p.function_id
WHERE p.position BETWEEN 1 AND 30 AND v.calls >= params.min_calls
ORDER BY s.self_cpu_ns DESC, p.function_id, p.position
