-- title:       Proxies
-- question:    Which functions only pass a call on?
-- group:       Inlining and call structure
-- description: Functions that in every call made exactly one call, always to the same function:
--              layers that only pass a request on.
-- advice:      Let callers call the target, or merge the two, where the layer adds nothing. The
--              advice is wrong where the layer checks, converts, locks or keeps an interface stable:
--              look at its self time and its source.
-- source:      "middle man" in Fowler, Refactoring
-- report:      findings
-- param:       min_calls = 2 | calls | leave out functions with fewer finished calls
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      target | function | the one function it calls
-- column:      target_location | - | where that is defined
-- column:      calls | calls | finished calls
-- column:      self_ns | ns | time in its own code
-- column:      self_per_call_ns | ns a call | the same a call: what the layer costs
-- column:      example_call | id | calls.id of its first call
WITH params AS (SELECT coalesce(:min_calls, 2) AS min_calls)
SELECT f.name AS function,
       f.location,
       t.name AS target,
       t.location AS target_location,
       s.finished AS calls,
       s.self_ns,
       round(1.0 * s.self_ns / s.calls, 1) AS self_per_call_ns,
       s.first_call_id AS example_call
FROM function_stats s
     JOIN function_details f ON f.id = s.function_id
     JOIN function_details t ON t.id = (SELECT e.callee_id FROM edges e
                                        WHERE e.caller_id = s.function_id LIMIT 1)
     CROSS JOIN params
WHERE s.callees = 1
  AND s.single_child_calls = s.finished
  AND s.counted_calls = 0
  AND s.finished >= params.min_calls
  AND t.id <> s.function_id
ORDER BY s.finished DESC, s.function_id
