-- title:       Pool candidates
-- question:    Which blocks of one size would a pool serve?
-- group:       Memory
-- description: Functions whose blocks have one size, or a few, as objects have: candidates for a pool or a
--              free list.
-- advice:      Many blocks of one size with a small most_live fit a pool of that many: allocation becomes
--              a few instructions, and neighbours lie together. With a large most_live and one owner
--              take an arena (block-owners). A modern malloc is good at small sizes: measure before and
--              after. Left out are buffers: what realloc made, sizes that no object with a pointer or an int
--              has (texts), and functions of which one block at a time was live (see temporary-allocations).
-- source:      number of distinct sizes an allocating function asks for
-- report:      findings
-- finding:     {function} allocates {blocks} blocks of {sizes} bytes: a pool
-- saves:       blocks * 10
-- param:       max_sizes = 2 | sizes | leave out functions with more distinct sizes
-- param:       min_blocks = 100 | blocks | leave out functions that allocate fewer
-- param:       min_live = 2 | blocks | leave out functions with fewer live at once
-- column:      function | - | that allocates
-- column:      location | - | where it is defined
-- column:      sizes | bytes | the distinct sizes, the commonest first
-- column:      blocks | blocks | allocated
-- column:      bytes | bytes | allocated
-- column:      most_live | blocks | of the function live at once
-- column:      mean_lifetime_ns | ns | of the freed ones
-- column:      freed | blocks | freed
-- column:      first_alloc | id | allocs.id of the first
WITH params AS (SELECT coalesce(:max_sizes, 2) AS max_sizes, coalesce(:min_blocks, 100) AS min_blocks,
                       coalesce(:min_live, 2) AS min_live),
     owned AS (
       SELECT fr.function_id, sum(a.blocks) AS blocks, sum(a.bytes) AS bytes, sum(a.freed_blocks) AS freed,
              sum(a.lifetime_ns) AS lifetime_ns, min(a.first_alloc_id) AS first_alloc,
              max(a.kind GLOB 'realloc*') AS grown
       FROM alloc_stacks a JOIN frames fr ON fr.id = a.frame_id GROUP BY fr.function_id),
     sized AS (
       SELECT fr.function_id, z.size, sum(z.blocks) AS blocks
       FROM alloc_sizes z JOIN alloc_stacks a ON a.id = z.stack_id JOIN frames fr ON fr.id = a.frame_id
       GROUP BY fr.function_id, z.size),
     few AS (
       SELECT sized.function_id, group_concat(sized.size, ', ') AS sizes
       FROM (SELECT * FROM sized ORDER BY function_id, blocks DESC, size) AS sized CROSS JOIN params
       GROUP BY sized.function_id
       HAVING count(*) <= max(params.max_sizes) AND min(sized.size) >= 0
          AND max(sized.size % 4) = 0)
SELECT f.name AS function,
       f.location,
       few.sizes,
       owned.blocks,
       owned.bytes,
       s.live_blocks_max AS most_live,
       round(1.0 * owned.lifetime_ns / nullif(owned.freed, 0), 1) AS mean_lifetime_ns,
       owned.freed,
       owned.first_alloc
FROM few
     JOIN owned ON owned.function_id = few.function_id
     JOIN function_stats s ON s.function_id = few.function_id
     JOIN function_details f ON f.id = few.function_id
     CROSS JOIN params
WHERE owned.blocks >= params.min_blocks AND s.live_blocks_max >= params.min_live AND owned.grown = 0
ORDER BY owned.blocks DESC, few.function_id
