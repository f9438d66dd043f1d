-- title:       Call order
-- question:    Which functions always come directly after another?
-- group:       Inlining and call structure
-- description: Functions that were always called directly after the same other function, by several
--              callers (calls of one function in a row count once): an order contract.
-- advice:      The order is a rule that each of the callers has to know: put both calls into one function.
--              With one caller it is encapsulated already: -p min_callers=1 shows those, too. An order that
--              this run happened to have is no contract: check whether the second needs what the first did.
--              Destructors, whose order the compiler keeps, and functions as small as those that only
--              hand out a value are left out.
-- source:      which callee followed which within one call of a caller
-- report:      findings
-- param:       min_times = 2 | times | leave out pairs seen less often
-- param:       min_callers = 2 | functions | leave out pairs with fewer callers
-- param:       min_size = 80 | bytes | leave out pairs with a function of less code
-- column:      function | - | the function that comes second
-- column:      location | - | where it is defined
-- column:      after | function | the function that always comes before it
-- column:      after_location | - | where that is defined
-- column:      times | times | the second came directly after the first
-- column:      callers | functions | distinct callers in which it did
-- column:      encapsulated | - | yes (one caller), or no (several)
-- column:      caller | - | one of the callers
-- column:      example_call | id | calls.id of a call of that caller
WITH params AS (SELECT coalesce(:min_times, 2) AS min_times, coalesce(:min_callers, 2) AS min_callers,
                       coalesce(:min_size, 80) AS min_size),
     ordered AS MATERIALIZED (
       SELECT q.callee_id, min(q.previous_id) AS previous_id, sum(q.count) AS times,
              count(*) AS callers, min(q.caller_id) AS caller_id
       FROM callee_transitions q
       GROUP BY q.callee_id
       HAVING min(q.previous_id) = max(q.previous_id) AND min(q.previous_id) <> 0),
     passed AS MATERIALIZED ( -- what the first one ends by calling: the callers do not know of it
       SELECT DISTINCT through_id, callee_id FROM tail_calls
       UNION -- or through a pointer
       SELECT a.callee_id, b.callee_id FROM edges a JOIN edges b ON b.site_id = a.site_id AND b.caller_id IS a.caller_id
              JOIN sites s ON s.id = a.site_id
       WHERE a.callee_id <> b.callee_id AND s.module_id IN (SELECT id FROM plain_modules))
SELECT f.name AS function,
       f.location,
       a.name AS after,
       a.location AS after_location,
       o.times,
       o.callers,
       CASE o.callers WHEN 1 THEN 'yes' ELSE 'no' END AS encapsulated,
       c.name AS caller,
       (SELECT q.example_call_id FROM callee_transitions q
        WHERE q.callee_id = o.callee_id AND q.caller_id = o.caller_id) AS example_call
FROM ordered o
     JOIN function_stats s ON s.function_id = o.callee_id
     JOIN function_details f ON f.id = o.callee_id
     JOIN function_details a ON a.id = o.previous_id
     JOIN functions c ON c.id = o.caller_id
     CROSS JOIN params
WHERE s.root_calls = 0 AND o.times >= params.min_times AND o.callers >= params.min_callers
  AND coalesce(f.size, params.min_size) >= params.min_size
  AND coalesce(a.size, params.min_size) >= params.min_size
  AND NOT EXISTS (SELECT 1 FROM passed p WHERE p.through_id = o.previous_id AND p.callee_id = o.callee_id)
  AND o.previous_id NOT IN (SELECT callee_id FROM tail_calls)
  AND f.name NOT GLOB '*~*' AND a.name NOT GLOB '*~*'
ORDER BY o.callers DESC, o.times DESC, o.callee_id
