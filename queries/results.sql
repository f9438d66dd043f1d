-- title:       Results
-- question:    What did each function return?
-- group:       Arguments and results
-- description: For each function whose results were recorded: how many values there were, the least and the
--              greatest number, and the commonest values with their share of the calls. Functions whose
--              own code took the most processor time come first.
-- advice:      A function that always returns the same need not return it; one that nearly always
--              does has a common case. `fisql query failing-calls` shows the results that report a
--              failure. A value that this run did not return may come in another.
-- source:      each value is counted up to 64 of them; beyond, the commonest are found by Space-Saving (Metwally,
--              Agrawal, El Abbadi 2005), and their counts are lower bounds
-- report:      none
-- needs:       values
-- param:       commonest = 3 | values | give so many of the commonest
-- param:       min_calls = 1 | calls | leave out functions with fewer known results
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      type | - | type of the result
-- column:      calls | calls | whose result is known
-- column:      unknown | calls | whose result is not: they did not return, or the code does not say
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
WHERE p.position = 0 AND v.calls >= params.min_calls
ORDER BY s.self_cpu_ns DESC, p.function_id
