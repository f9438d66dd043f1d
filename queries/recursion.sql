-- title:       Recursion
-- question:    Which functions call themselves, and how deep?
-- group:       Inlining and call structure
-- description: Functions that were called while one of their calls was open in the same thread,
--              directly or through others, with the deepest nesting and the cycle. A cycle's row
--              names the function that was open most often.
-- advice:      Write deep direct recursion whose call comes last as a loop, to save the stack.
--              Nesting that grows with the input can overflow the stack: bound it. Walks over trees
--              are recursive by nature and shallow.
-- source:      activations of one function open at once in a thread
-- report:      findings
-- param:       min_nesting = 2 | calls | leave out functions whose deepest nesting is less
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      nesting | calls | most calls of it open at once
-- column:      calls | calls | all calls
-- column:      recursive_calls | calls | calls made while another was open
-- column:      direct_calls | calls | of these, made by the function itself
-- column:      kind | - | direct, mutual, or both
-- column:      cycle | stack | the first cycle seen
-- column:      deepest_call | id | calls.id of the innermost call at that nesting
-- column:      self_cpu_ns | ns | processor time in its own code
WITH RECURSIVE
     params AS (SELECT coalesce(:min_nesting, 2) AS min_nesting),
     split(function_id, id, rest, text) AS (
       SELECT function_id, NULL, substr(cycle, 1, 100000) || ' ', '' FROM recursions
       UNION ALL
       SELECT function_id, CAST(substr(rest, 1, instr(rest, ' ') - 1) AS INTEGER), substr(rest, instr(rest, ' ') + 1),
              text || (SELECT name FROM functions
                       WHERE id = CAST(substr(rest, 1, instr(rest, ' ') - 1) AS INTEGER)) || ' => '
       FROM split WHERE instr(rest, ' ') > 0),
     lesser AS ( -- another function of the cycle was open more often: it stands for the cycle
       SELECT DISTINCT split.function_id
       FROM split JOIN function_stats s ON s.function_id = split.function_id
            JOIN function_stats o ON o.function_id = split.id
       WHERE (o.nesting_max, o.recursive_calls, -o.function_id) > (s.nesting_max, s.recursive_calls, -s.function_id))
SELECT f.name AS function,
       f.location,
       s.nesting_max AS nesting,
       s.calls,
       s.recursive_calls,
       s.direct_recursive_calls AS direct_calls,
       CASE WHEN s.direct_recursive_calls = s.recursive_calls THEN 'direct'
            WHEN s.direct_recursive_calls = 0 THEN 'mutual' ELSE 'both' END AS kind,
       split.text || f.name AS cycle,
       s.nested_call_id AS deepest_call,
       s.self_cpu_ns
FROM function_stats s
     JOIN function_details f ON f.id = s.function_id
     LEFT JOIN split ON split.function_id = s.function_id AND split.rest = ''
     CROSS JOIN params
WHERE s.recursive_calls > 0 AND s.nesting_max >= params.min_nesting
  AND s.function_id NOT IN (SELECT function_id FROM lesser)
ORDER BY s.nesting_max DESC, s.recursive_calls DESC, s.function_id
