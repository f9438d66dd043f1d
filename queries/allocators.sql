-- title:       Allocators
-- question:    Which functions allocate and free, and how much?
-- group:       Memory
-- description: Functions by the memory they allocate and free, by their own code and with callees.
--              The work of a wrapper of malloc or free counts as its caller's. An allocator only
--              allocates, a freer only frees, a mixed function does both.
-- advice:      Large total bytes with a small delta are churn: reuse, pool or reserve. A pair of an
--              allocator and a freer is a constructor and its destructor. A growing delta in a
--              function that should clean up after itself is a leak's owner: see not-freed. Blocks
--              made little by little and freed together (made_together small, freed_together large),
--              or the reverse, are one structure's: an arena, freed at once, saves the single frees.
-- source:      heaptrack's and memusage's tables
-- needs:       allocations
-- report:      overview
-- param:       min_bytes = 0 | bytes | leave out functions that allocate and free less, with callees
-- param:       wrappers = 0 | 0 or 1 | 1 = name wrappers of malloc, such as xmalloc, not their callers
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
-- column:      made_together | % | of its blocks: the most that one call allocated, of it or of its caller, at least
-- column:      made_in | - | the function of that call; a recursion is one call
-- column:      making_call | id | calls.id of that call
-- column:      freed_together | % | of its freed blocks: the most that one call freed, at least
-- column:      freed_in | - | the function of that call
-- column:      freeing_call | id | calls.id of that call
WITH params AS (SELECT coalesce(:min_bytes, 0) AS min_bytes, coalesce(:wrappers, 0) AS wrappers),
     allocated AS MATERIALIZED (
       SELECT p.function_id, sum(a.blocks) AS blocks, sum(a.bytes) AS bytes
       FROM alloc_places p CROSS JOIN params JOIN alloc_stacks a ON a.id = p.stack_id
       WHERE p.wrappers = params.wrappers GROUP BY p.function_id),
     freed AS MATERIALIZED (
       SELECT p.function_id, sum(b.blocks) AS blocks, sum(b.bytes) AS bytes
       FROM free_places p CROSS JOIN params JOIN block_flows b ON b.id = p.flow_id
       WHERE p.wrappers = params.wrappers GROUP BY p.function_id),
     grouped AS (
       SELECT g.flow_id IS NOT NULL AS freed, g.allocated_by_id, g.function_id, sum(g.blocks) AS blocks, g.call_id,
              row_number() OVER (PARTITION BY g.flow_id IS NOT NULL, g.allocated_by_id
                                 ORDER BY sum(g.blocks) DESC, max(g.by_caller), g.call_id) AS place
       FROM block_group_places g CROSS JOIN params WHERE g.wrappers = params.wrappers
       GROUP BY 1, g.allocated_by_id, g.call_id),
     most AS MATERIALIZED ( -- the most blocks that one call allocated, or freed
       SELECT freed, allocated_by_id, function_id, blocks, call_id FROM grouped WHERE place = 1 AND blocks > 1),
     gone AS MATERIALIZED (
       SELECT p.function_id, sum(a.freed_blocks) AS blocks
       FROM alloc_places p CROSS JOIN params JOIN alloc_stacks a ON a.id = p.stack_id
       WHERE p.wrappers = params.wrappers GROUP BY p.function_id),
     own AS (
       SELECT s.*, coalesce(a.blocks, 0) AS own_allocs, coalesce(a.bytes, 0) AS own_alloc_bytes,
              coalesce(z.blocks, 0) AS own_frees, coalesce(z.bytes, 0) AS own_free_bytes
       FROM function_stats s LEFT JOIN allocated a ON a.function_id = s.function_id
            LEFT JOIN freed z ON z.function_id = s.function_id CROSS JOIN params
       WHERE s.total_allocs + s.total_frees > 0
         AND s.total_alloc_bytes + s.total_free_bytes >= params.min_bytes
         AND (params.wrappers OR s.function_id NOT IN (SELECT function_id FROM alloc_wrappers)))
SELECT f.name AS function,
       f.location,
       CASE WHEN s.own_allocs > 0 AND s.own_frees = 0 THEN 'allocator'
            WHEN s.own_allocs = 0 AND s.own_frees > 0 THEN 'freer'
            WHEN s.own_allocs > 0 AND s.own_frees > 0 THEN 'mixed'
            ELSE '-' END AS class,
       s.own_alloc_bytes AS alloc_bytes,
       s.own_free_bytes AS free_bytes,
       s.own_alloc_bytes - s.own_free_bytes AS delta_bytes,
       s.own_allocs AS allocs,
       s.own_frees AS frees,
       s.total_alloc_bytes,
       s.total_free_bytes,
       s.total_alloc_bytes - s.total_free_bytes AS total_delta_bytes,
       s.total_allocs,
       s.total_frees,
       s.calls,
       round(100.0 * made.blocks / s.own_allocs, 1) AS made_together,
       mf.name AS made_in,
       made.call_id AS making_call,
       round(100.0 * unmade.blocks / gone.blocks, 1) AS freed_together,
       ff.name AS freed_in,
       unmade.call_id AS freeing_call
FROM own s JOIN function_details f ON f.id = s.function_id
     LEFT JOIN most made ON made.freed = 0 AND made.allocated_by_id = s.function_id
     LEFT JOIN most unmade ON unmade.freed = 1 AND unmade.allocated_by_id = s.function_id
     LEFT JOIN gone ON gone.function_id = s.function_id
     LEFT JOIN functions mf ON mf.id = made.function_id
     LEFT JOIN functions ff ON ff.id = unmade.function_id
ORDER BY s.own_alloc_bytes + s.own_free_bytes DESC, s.total_alloc_bytes + s.total_free_bytes DESC, s.function_id
