-- title:       Call cycles
-- question:    Which two functions call each other?
-- group:       Inlining and call structure
-- description: Pairs of functions where each calls the other directly: suspicious layering. A function
--              that calls itself does not count.
-- advice:      Of two layers only the upper one should know the lower: break the back call with a
--              callback, a return value, or a third function. Intended mutual recursion (a parser,
--              a tree of mixed nodes) is fine. Longer cycles are in recursion, where kind is not direct.
-- source:      cycles of length two in the call graph
-- report:      findings
-- param:       min_calls = 1 | calls | leave out pairs with fewer calls in the rarer direction
-- column:      function | - | the one that calls the other more often
-- column:      location | - | where it is defined
-- column:      other | function | the other
-- column:      other_location | - | where that is defined
-- column:      calls | calls | of the other by the function
-- column:      back_calls | calls | of the function by the other
-- column:      called_from | - | file and line of such a call
-- column:      back_called_from | - | file and line of a call back
-- column:      example_call | id | calls.id of the first call
-- column:      back_call | id | calls.id of the first call back
WITH params AS (SELECT coalesce(:min_calls, 1) AS min_calls),
     pairs AS MATERIALIZED (
       SELECT caller_id, callee_id, sum(calls) AS calls, min(site_id) AS site_id,
              min(first_call_id) AS first_call_id
       FROM edges WHERE caller_id IS NOT NULL AND caller_id <> callee_id
       GROUP BY caller_id, callee_id)
SELECT f.name AS function,
       f.location,
       o.name AS other,
       o.location AS other_location,
       p.calls,
       b.calls AS back_calls,
       ps.location AS called_from,
       bs.location AS back_called_from,
       p.first_call_id AS example_call,
       b.first_call_id AS back_call
FROM pairs p
     JOIN pairs b ON b.caller_id = p.callee_id AND b.callee_id = p.caller_id
     JOIN function_details f ON f.id = p.caller_id
     JOIN function_details o ON o.id = p.callee_id
     LEFT JOIN site_details ps ON ps.id = p.site_id
     LEFT JOIN site_details bs ON bs.id = b.site_id
     CROSS JOIN params
WHERE (p.calls > b.calls OR (p.calls = b.calls AND p.caller_id < b.caller_id))
  AND b.calls >= params.min_calls
ORDER BY b.calls DESC, p.calls DESC, p.caller_id, p.callee_id
