-- title:       Proxies
-- question:    Which functions only pass a call on?
-- group:       Inlining and call structure
-- description: Functions that do nothing but call another one: in every call they made exactly one call,
--              always of the same function, their code has no other call to make, it is as small as
--              passing on takes, and it takes next to no time.
-- advice:      Let callers call the target, or merge the two. The advice is wrong if the layer
--              exists to keep an interface stable. Left out are layers that the compiler may inline
--              at -O2, on either side, and layers that are called through pointers. Of a program that is
--              recorded as it is, optimised code passes on by a jump: where a call is left, there is
--              work behind it, so inlined=1 alone shows such functions.
-- source:      "middle man" in Fowler, Refactoring
-- report:      findings
-- hides:       inlined=1: the compiler may inline them, or they are called through a pointer, or work on what they get
-- param:       min_calls = 100 | calls | leave out functions with fewer finished calls
-- param:       max_size = 110 | bytes | leave out functions with more code; hooks take 60 of them, which code without hooks must not have
-- param:       max_self_ns = 30 | ns a call | leave out functions whose own code takes longer
-- param:       inlined = 0 | 0 or 1 | 1 = also what the compiler may inline, or calls through a pointer
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      target | function | the one function it calls
-- column:      target_location | - | where that is defined
-- column:      calls | calls | finished calls
-- column:      size | bytes | size of its code, with the hooks
-- column:      self_cpu_ns | ns | processor time in its own code
-- column:      self_per_call_ns | ns a call | the same a call: what the layer costs
-- column:      compiler | - | what -O2 makes of the call that it is most likely to spare: keeps it, may inline it or cannot, and why
-- column:      example_call | id | calls.id of its first call
WITH params AS (SELECT coalesce(:min_calls, 100) AS min_calls, coalesce(:max_size, 110) AS max_size,
                       coalesce(:max_self_ns, 30) AS max_self_ns, coalesce(:inlined, 0) AS inlined),
     passing AS (
       SELECT s.*, f.size
       FROM function_stats s JOIN functions f ON f.id = s.function_id CROSS JOIN params
       WHERE s.callees = 1
         AND s.single_child_calls = s.finished
         AND s.counted_calls = 0
         AND s.finished >= params.min_calls
         AND f.call_targets = 1
         AND CASE WHEN f.module_id IN (SELECT id FROM plain_modules) THEN f.size <= params.max_size - 60 AND params.inlined
             ELSE f.size <= params.max_size AND (f.inlined = 0 OR params.inlined) END
         AND s.self_cpu_ns <= params.max_self_ns * s.calls),
     outward AS (
       SELECT p.function_id, min(e.callee_id) AS target_id, min(e.kept) AS kept,
              coalesce(min(CASE WHEN NOT e.kept THEN e.compiler END), min(e.compiler)) AS compiler
       FROM passing p JOIN edge_details e ON e.caller_id = p.function_id CROSS JOIN params
       GROUP BY p.function_id HAVING min(e.kept OR params.inlined) = 1),
     called AS (
       SELECT p.function_id, min(e.kept) AS kept,
              coalesce(min(CASE WHEN NOT e.kept THEN e.compiler END), min(e.compiler)) AS compiler
       FROM passing p JOIN edge_details e ON e.callee_id = p.function_id CROSS JOIN params
       GROUP BY p.function_id HAVING min(e.kept OR params.inlined) = 1)
SELECT f.name AS function,
       f.location,
       t.name AS target,
       t.location AS target_location,
       p.finished AS calls,
       p.size,
       p.self_cpu_ns,
       round(1.0 * p.self_cpu_ns / p.calls, 1) AS self_per_call_ns,
       CASE WHEN outward.kept THEN called.compiler ELSE outward.compiler END AS compiler,
       p.first_call_id AS example_call
FROM passing p
     JOIN outward ON outward.function_id = p.function_id
     JOIN called ON called.function_id = p.function_id
     JOIN function_details f ON f.id = p.function_id
     JOIN function_details t ON t.id = outward.target_id
WHERE t.id <> p.function_id
ORDER BY min(outward.kept, called.kept) DESC, p.finished DESC, p.function_id
