-- title:       Constant arguments
-- question:    Which parameters had one value in all calls?
-- group:       Arguments and results
-- description: Parameters that had one value in every call, although several functions pass them: a
--              flag that nobody sets, a size that is always the same, a NULL that nobody fills in.
--              Functions whose own code took the most processor time come first.
-- advice:      Drop the parameter and the code for its other values, or make a version of the
--              function for this value alone. The advice is wrong if another input passes another
--              value, in an interface that others call, and in test doubles. Left out are `this`
--              and pointers to objects (pointers = 1 takes them), functions called through
--              pointers, whose parameters are not theirs to choose, and parameters that a single
--              function passes.
-- source:      "Remove Parameter" and "Replace Parameter with Explicit Methods" in Fowler, Refactoring
-- report:      findings
-- needs:       values
-- param:       min_calls = 20 | calls | leave out functions with fewer calls
-- param:       min_callers = 2 | functions | leave out those that fewer functions call, itself not counted
-- param:       min_sites = 2 | sites | leave out those called from fewer places
-- param:       pointers = 0 | - | 1 = pointers to objects, too
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      position | - | 1 = the first parameter
-- column:      parameter | - | its name
-- column:      type | - | its type
-- column:      value | - | that it always had
-- column:      calls | calls | all calls of the function
-- column:      callers | functions | that call it
-- column:      sites | sites | places in the code that call it
-- column:      self_cpu_ns | ns | processor time in the function's own code
-- column:      example_call | id | calls.id of the first call
WITH params AS (SELECT coalesce(:min_calls, 20) AS min_calls, coalesce(:min_callers, 2) AS min_callers,
                       coalesce(:min_sites, 2) AS min_sites, coalesce(:pointers, 0) AS pointers),
     constant AS MATERIALIZED (
       SELECT p.id, p.function_id, p.position, p.name, p.type, v.calls, k.first_call_id, s.self_cpu_ns
       FROM parameter_stats v CROSS JOIN params JOIN parameters p ON p.id = v.parameter_id
            JOIN function_stats s ON s.function_id = p.function_id
            JOIN value_counts k ON k.parameter_id = p.id AND k.rank = 1
       WHERE v.counted = 1 AND v.distinct_values = 1 AND v.cut = 0 AND p.position BETWEEN 1 AND 30 AND p.expression = 0
         AND v.calls = s.calls AND s.calls >= params.min_calls -- all of them are known
         AND coalesce(p.name, '') <> 'this'
         AND (params.pointers OR k.value = 0 OR coalesce(p.kind, 'pointer') <> 'pointer')),
     called AS MATERIALIZED (
       SELECT c.function_id, count(DISTINCT CASE WHEN e.caller_id <> e.callee_id THEN e.caller_id END) AS callers,
              count(DISTINCT CASE WHEN e.caller_id <> e.callee_id THEN e.site_id END) AS sites,
              max(coalesce(st.indirect, 0)) AS indirect
       FROM (SELECT DISTINCT function_id FROM constant) c JOIN edges e ON e.callee_id = c.function_id
            LEFT JOIN sites st ON st.id = e.site_id
       GROUP BY c.function_id)
SELECT f.name AS function,
       f.location,
       c.position,
       coalesce(c.name, '(' || c.position || ')') AS parameter,
       c.type,
       (SELECT text FROM value_count_texts t WHERE t.parameter_id = c.id AND t.rank = 1) AS value,
       c.calls,
       called.callers,
       called.sites,
       c.self_cpu_ns,
       c.first_call_id AS example_call
FROM constant c
     CROSS JOIN params
     JOIN called ON called.function_id = c.function_id
     JOIN function_details f ON f.id = c.function_id
WHERE NOT called.indirect AND called.callers >= params.min_callers AND called.sites >= params.min_sites
ORDER BY c.self_cpu_ns DESC, c.function_id, c.position
