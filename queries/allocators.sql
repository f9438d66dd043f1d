-- title:       Allocators
-- question:    Which functions allocate and free, and how much?
-- group:       Memory
-- description: Functions by the memory they allocate and free, by their own code and with callees.
--              An allocator only allocates, a freer only frees, a mixed function does both.
-- advice:      Large total bytes with a small delta are churn: reuse, pool or reserve. A pair of an
--              allocator and a freer is a constructor and its destructor. A growing delta in a
--              function that should clean up after itself is a leak's owner: see not-freed.
-- source:      heaptrack's and memusage's tables
-- report:      overview
-- param:       min_bytes = 0 | bytes | leave out functions that allocate and free less, with callees
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      class | - | what its own code does: allocator, freer, mixed, or - (callees only)
-- column:      alloc_bytes | bytes | allocated by its own code (A)
-- column:      free_bytes | bytes | freed by its own code (F)
-- column:      delta_bytes | bytes | A - F
-- column:      allocs | blocks | allocations by its own code (#a)
-- column:      frees | blocks | frees by its own code (#f)
-- column:      total_alloc_bytes | bytes | allocated with callees
-- column:      total_free_bytes | bytes | freed with callees
-- column:      total_delta_bytes | bytes | the difference
-- column:      total_allocs | blocks | allocations with callees
-- column:      total_frees | blocks | frees with callees
-- column:      calls | calls | calls of the function
WITH params AS (SELECT coalesce(:min_bytes, 0) AS min_bytes)
SELECT f.name AS function,
       f.location,
       CASE WHEN s.allocs > 0 AND s.frees = 0 THEN 'allocator'
            WHEN s.allocs = 0 AND s.frees > 0 THEN 'freer'
            WHEN s.allocs > 0 AND s.frees > 0 THEN 'mixed'
            ELSE '-' END AS class,
       s.alloc_bytes,
       s.free_bytes,
       s.alloc_bytes - s.free_bytes AS delta_bytes,
       s.allocs,
       s.frees,
       s.total_alloc_bytes,
       s.total_free_bytes,
       s.total_alloc_bytes - s.total_free_bytes AS total_delta_bytes,
       s.total_allocs,
       s.total_frees,
       s.calls
FROM function_stats s
     JOIN function_details f ON f.id = s.function_id
     CROSS JOIN params
WHERE s.total_allocs + s.total_frees > 0
  AND s.total_alloc_bytes + s.total_free_bytes >= params.min_bytes
ORDER BY s.alloc_bytes DESC, s.total_alloc_bytes DESC, s.total_free_bytes DESC, s.function_id
