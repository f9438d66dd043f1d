-- title:       Pool candidates
-- question:    Which blocks of one size would a pool serve?
-- group:       Memory
-- description: Places whose blocks have one size, or a few, as objects have: candidates for a pool,
--              or for an arena if none was freed.
-- advice:      Many blocks of one size with a small most_live fit a pool of that many: allocation
--              becomes a few instructions, and neighbours lie together. Objects that live until the
--              end fit an arena: one block for many, and no frees (block-owners names possible
--              owners). A copy constructor's blocks need neither if the copied object can be moved,
--              or passed by reference. A modern malloc is good at small sizes: measure before and
--              after. Left out are buffers: what realloc replaced, what a vector or a string grows,
--              sizes that no object with a pointer or an int has (texts), and places of which one
--              block at a time was live (see temporary-allocations). A wrapper's blocks count for
--              its callers.
-- source:      number of distinct sizes an allocating place asks for
-- needs:       allocations
-- report:      findings
-- hides:       min_saved=0: they would save less than a thousandth of the processor time
-- param:       max_sizes = 2 | sizes | look at so many of a place's sizes, the commonest
-- param:       min_share = 95 | % | leave out places of whose blocks fewer have these
-- param:       min_blocks = 100 | blocks | leave out places that allocate fewer
-- param:       min_live = 2 | blocks | leave out places with fewer live at once
-- param:       min_saved = 0.1 | % | leave out what would save less of the run's processor time, at 10 ns a block
-- param:       wrappers = 0 | 0 or 1 | 1 = name wrappers of malloc, such as xmalloc, not their callers
-- column:      function | - | that allocates
-- column:      location | - | where
-- column:      sizes | bytes | the distinct sizes, the commonest first
-- column:      blocks | blocks | allocated
-- column:      cure | - | a pool; an arena (next to none was freed); no copies (a copy constructor allocates them)
-- column:      bytes | bytes | allocated
-- column:      most_live | blocks | live at once, at most
-- column:      mean_lifetime_ns | ns | of the freed ones
-- column:      freed | blocks | freed
-- column:      first_alloc | id | allocs.id of the first
WITH params AS (SELECT coalesce(:max_sizes, 2) AS max_sizes, coalesce(:min_share, 95) AS min_share,
                       coalesce(:min_blocks, 100) AS min_blocks, coalesce(:min_live, 2) AS min_live,
                       coalesce(:wrappers, 0) AS wrappers, coalesce(:min_saved, 0.1) AS min_saved),
     whole AS MATERIALIZED (SELECT total(self_cpu_ns) AS cpu_ns FROM function_stats),
     places AS MATERIALIZED ( -- one line may lie in several copies of code, each with its sites
       SELECT p.stack_id, p.frame_id, p.function_id, coalesce(s.location, f.location) AS location
       FROM alloc_places p JOIN function_details f ON f.id = p.function_id CROSS JOIN params
            LEFT JOIN site_details s ON s.id = p.site_id
       WHERE p.wrappers = params.wrappers
         -- a vector's, a string's or a deque's; a large array is a pool's own piece, or what it is read into
         AND NOT EXISTS (SELECT 1 FROM alloc_stacks a WHERE a.id = p.stack_id AND a.kind = 'new[]' AND a.min_size >= 1024)
         AND coalesce(s.location, '') NOT GLOB 'in std::*deque<*'
         AND coalesce(s.location, '') NOT GLOB 'in std::*vector<*' AND coalesce(s.location, '') NOT GLOB 'in std::*string*'),
     replaced AS MATERIALIZED ( -- by the same realloc; malloc may have made the first of them
       SELECT b.stack_id, sum(b.blocks) AS blocks
       FROM block_flows b JOIN alloc_stacks a ON a.id = b.stack_id
       WHERE a.kind GLOB 'realloc*' AND b.free_site_id = a.site_id GROUP BY b.stack_id),
     owned AS MATERIALIZED (
       SELECT p.function_id, p.location, sum(a.blocks) AS blocks, sum(a.bytes) AS bytes,
              sum(a.freed_blocks) AS freed, sum(a.lifetime_ns) AS lifetime_ns,
              -- stacks have their most at other times; of the function's own blocks the sum is known
              CASE WHEN min(a.frame_id IS p.frame_id) THEN min(sum(a.live_blocks_max), max(s.live_blocks_max))
                   ELSE sum(a.live_blocks_max) END AS most_live,
              min(a.first_alloc_id) AS first_alloc
       FROM places p JOIN alloc_stacks a ON a.id = p.stack_id CROSS JOIN params
            JOIN function_stats s ON s.function_id = p.function_id
            LEFT JOIN replaced r ON r.stack_id = a.id
       GROUP BY p.function_id, p.location
       HAVING sum(a.blocks) >= max(params.min_blocks) AND most_live >= max(params.min_live)
          AND 100 * total(r.blocks) <= (100 - max(params.min_share)) * sum(a.blocks)),
     sized AS (
       SELECT p.function_id, p.location, z.size, sum(z.blocks) AS blocks,
              row_number() OVER (PARTITION BY p.function_id, p.location
                                 ORDER BY z.size < 0, sum(z.blocks) DESC, z.size) AS place
       FROM owned o JOIN places p ON p.function_id = o.function_id AND p.location = o.location
            JOIN alloc_sizes z ON z.stack_id = p.stack_id
       GROUP BY p.function_id, p.location, z.size),
     few AS MATERIALIZED (
       SELECT sized.function_id, sized.location, group_concat(sized.size, ', ') AS sizes, sum(sized.blocks) AS blocks
       FROM (SELECT * FROM sized ORDER BY function_id, location, place) AS sized CROSS JOIN params
       WHERE sized.place <= params.max_sizes
       GROUP BY sized.function_id, sized.location
       HAVING min(sized.size) >= 0 AND max(sized.size % 4) = 0)
SELECT f.name AS function,
       owned.location,
       few.sizes,
       owned.blocks,
       CASE WHEN f.linkage_name GLOB '_Z*C[12]ERKS*_' THEN 'no copies'
            WHEN 20 * owned.freed < owned.blocks THEN 'an arena' ELSE 'a pool' END AS cure,
       owned.bytes,
       owned.most_live,
       round(1.0 * owned.lifetime_ns / nullif(owned.freed, 0), 1) AS mean_lifetime_ns,
       owned.freed,
       owned.first_alloc
FROM owned
     JOIN few ON few.function_id = owned.function_id AND few.location = owned.location
     JOIN function_details f ON f.id = owned.function_id
     CROSS JOIN params CROSS JOIN whole
WHERE 100 * few.blocks >= params.min_share * owned.blocks AND 100 * owned.blocks * 10 >= params.min_saved * whole.cpu_ns
ORDER BY owned.blocks DESC, owned.bytes DESC, owned.first_alloc
