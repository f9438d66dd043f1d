-- title:       Argument types
-- question:    Where would another type say more, or do?
-- group:       Arguments and results
-- description: Parameters whose values need less than their type: whole numbers that are passed as
--              double, numbers that are only ever 0 and 1, texts that are always empty or NULL, and
--              in functions that take much of the time numbers of 64 bits that 32 would hold. The
--              parameters that cost the most time come first.
-- advice:      A double that is always whole is counted in floating point: an integer is exact, and
--              compares and indexes faster. bool says what a number of 0 and 1 means. A text that
--              is always empty is a feature that nobody uses. 32 bits help if many numbers are kept
--              in memory, or divided. Another input may need the whole type: look at what callers
--              can pass.
-- source:      the values that were passed; "Primitive Obsession" in Fowler, Refactoring
-- report:      none
-- needs:       values
-- param:       min_calls = 100 | calls | leave out functions with fewer known arguments
-- param:       min_sites = 2 | sites | for 0 and 1: leave out functions called from fewer places
-- param:       min_hot_calls = 100000 | calls | for 64 bits: leave out functions with fewer known arguments
-- param:       min_share = 1 | % | for 64 bits: leave out functions whose own code took less of the run
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      position | - | 1 = the first parameter
-- column:      parameter | - | its name
-- column:      type | - | its type
-- column:      finding | - | only 0 and 1, always whole, always empty, always NULL, fits 32 bits
-- column:      calls | calls | with a known argument
-- column:      least | - | the least number
-- column:      greatest | - | the greatest number
-- column:      distinct_values | values | different ones, at least
-- column:      self_cpu_ns | ns | processor time in the function's own code
-- column:      example_call | id | calls.id of the first call with the commonest value
WITH params AS (SELECT coalesce(:min_calls, 100) AS min_calls, coalesce(:min_sites, 2) AS min_sites,
                       coalesce(:min_hot_calls, 100000) AS min_hot_calls, coalesce(:min_share, 1) AS min_share),
     whole AS (SELECT sum(self_cpu_ns) AS cpu_ns FROM function_stats),
     plain AS MATERIALIZED (
       SELECT p.id, p.function_id, p.position, p.name, p.kind, p.type, v.calls, v.counted, v.distinct_values, v.min_value,
              v.max_value,
              v.text_bytes_max, s.self_cpu_ns, whole.cpu_ns AS whole_ns,
              ' ' || replace(replace(replace(lower(p.type), 'const', ''), '_', ' '), '*', ' * ') || ' ' AS words
       FROM parameters p JOIN parameter_stats v ON v.parameter_id = p.id CROSS JOIN params CROSS JOIN whole
            JOIN function_stats s ON s.function_id = p.function_id
       WHERE p.position BETWEEN 1 AND 30 AND p.expression = 0 AND v.calls >= params.min_calls
         AND v.absent + v.unreadable + v.no_room = 0),
     judged AS MATERIALIZED (
       SELECT p.*,
              CASE
                WHEN kind = 'float' AND counted AND distinct_values > 1
                     AND NOT EXISTS (SELECT 1 FROM value_counts k WHERE k.parameter_id = p.id
                                     AND (typeof(k.value) <> 'real' OR k.value <> round(k.value) OR abs(k.value) >= 1e15))
                THEN 'always whole'
                WHEN kind = 'text' AND counted AND distinct_values = 1 AND text_bytes_max = 0 THEN 'always empty'
                WHEN kind = 'text' AND counted AND distinct_values = 1 AND text_bytes_max IS NULL THEN 'always NULL'
                WHEN kind IN ('signed', 'unsigned') AND counted AND distinct_values = 2 AND min_value = 0 AND max_value = 1
                     -- what is counted may well be 0 or 1
                     AND (length(name) > 1 OR name = 'b') AND words NOT GLOB '* size t *' AND NOT EXISTS (
                       SELECT 1 FROM (VALUES ('*len*'), ('*size*'), ('*count*'), ('*num*'), ('*index*'), ('*idx*'), ('*pos*'),
                                      ('*off*'), ('n[A-Z_]*'),
                                             ('*id'), ('*fd*'), ('*level*'), ('*depth*'), ('*version*'), ('*bits*'), ('*flags*'),
                                             ('*mask*'),
                                             ('*enc*'), ('*type*'), ('*mode*'), ('*kind*'), ('*op'), ('*code*'), ('*stat*'),
                                             ('rc'), ('*err*'))
                       WHERE name GLOB column1 OR lower(name) GLOB lower(column1))
                     AND (SELECT count(DISTINCT site_id) FROM edges e WHERE e.callee_id = p.function_id) >= params.min_sites
                THEN 'only 0 and 1'
                WHEN kind IN ('signed', 'unsigned') AND distinct_values > 2 AND calls >= params.min_hot_calls
                     AND 100 * self_cpu_ns >= params.min_share * whole_ns
                     AND (words GLOB '* long *' OR words GLOB '*64 *')
                     AND min_value >= CASE kind WHEN 'signed' THEN -0x80000000 ELSE 0 END
                     AND max_value <= CASE kind WHEN 'signed' THEN 0x7fffffff ELSE 0xffffffff END
                THEN 'fits 32 bits' END AS finding
       FROM plain p CROSS JOIN params)
SELECT f.name AS function,
       f.location,
       j.position,
       coalesce(j.name, '(' || j.position || ')') AS parameter,
       j.type,
       j.finding,
       j.calls,
       CASE WHEN j.kind <> 'text' THEN j.min_value END AS least,
       CASE WHEN j.kind <> 'text' THEN j.max_value END AS greatest,
       j.distinct_values,
       j.self_cpu_ns,
       (SELECT k.first_call_id FROM value_counts k WHERE k.parameter_id = j.id AND k.rank = 1) AS example_call
FROM judged j JOIN function_details f ON f.id = j.function_id
WHERE j.finding IS NOT NULL
ORDER BY CASE j.finding WHEN 'always whole' THEN 0 WHEN 'fits 32 bits' THEN 0 ELSE 1 END, j.self_cpu_ns DESC, j.function_id,
         j.position
