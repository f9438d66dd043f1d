-- title:       Leaking calls
-- question:    Whose calls left more memory than they found?
-- group:       Memory
-- description: Functions whose calls ended with more memory than they began with: what was allocated
--              within the call, callees included, less what was freed of it.
-- advice:      A function that should leave nothing behind and has leaking calls is where to look; the
--              worst call shows a case. Constructors, caches and whatever returns a block leak by this
--              measure: that is their purpose. Frees by other threads are not seen.
-- source:      net allocation of each call in its thread
-- report:      overview
-- param:       min_bytes = 1 | bytes | leave out functions that left less in all
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      leaking_calls | calls | that ended with more than they began
-- column:      share | % | of the finished calls
-- column:      leaked_bytes | bytes | the sum of what they left
-- column:      worst_bytes | bytes | left by the worst of them
-- column:      worst_call | id | its calls.id
-- column:      total_alloc_bytes | bytes | allocated within all calls
-- column:      total_free_bytes | bytes | freed within all calls
-- column:      calls | calls | all calls
WITH params AS (SELECT coalesce(:min_bytes, 1) AS min_bytes)
SELECT f.name AS function,
       f.location,
       s.leaking_calls,
       round(100.0 * s.leaking_calls / nullif(s.finished, 0), 1) AS share,
       s.leaked_bytes,
       s.worst_leak_bytes AS worst_bytes,
       s.worst_leak_call_id AS worst_call,
       s.total_alloc_bytes,
       s.total_free_bytes,
       s.calls
FROM function_stats s
     JOIN function_details f ON f.id = s.function_id
     CROSS JOIN params
WHERE s.leaking_calls > 0 AND s.leaked_bytes >= params.min_bytes
ORDER BY s.leaked_bytes DESC, s.leaking_calls DESC, s.function_id
