-- title:       Alloc-free pairs
-- question:    Who frees the blocks that another allocated?
-- group:       Memory
-- description: Pairs of a function that allocated blocks and one that freed them: the ownership
--              matrix. Blocks that were not freed have their own rows.
-- advice:      One allocator with one freer is clear ownership: make them a constructor and a
--              destructor. One allocator with many freers is ownership that travels: say in the
--              interface which side frees.
-- source:      the blocks' allocating and freeing calls
-- needs:       allocations
-- report:      overview
-- param:       min_blocks = 1 | blocks | leave out pairs with fewer
-- param:       wrappers = 0 | 0 or 1 | 1 = name wrappers of malloc, such as xmalloc, not their callers
-- param:       all_blocks = 0 | - | 1 = also those that the C library keeps (--all-blocks)
-- column:      allocated_by | - | function that allocated
-- column:      allocated_location | - | where it is defined
-- column:      freed_by | - | function that freed, or (not freed)
-- column:      freed_location | - | where it is defined
-- column:      blocks | blocks | of the pair
-- column:      share | % | of the allocating function's blocks
-- column:      bytes | bytes | in them
-- column:      mean_lifetime_ns | ns | from allocation to free
-- column:      alloc | id | allocs.id of one of them
WITH params AS (SELECT coalesce(:min_blocks, 1) AS min_blocks, coalesce(:wrappers, 0) AS wrappers,
                       coalesce(:all_blocks, 0) AS all_blocks),
     places AS MATERIALIZED (
       SELECT p.stack_id, p.function_id FROM alloc_places p CROSS JOIN params WHERE p.wrappers = params.wrappers),
     flows AS (
       SELECT p.function_id AS allocator, fp.function_id AS freer, 1 AS freed, b.blocks, b.bytes,
              b.residence_ns, b.example_alloc_id AS alloc
       FROM block_flows b CROSS JOIN params JOIN places p ON p.stack_id = b.stack_id
            JOIN free_places fp ON fp.flow_id = b.id AND fp.wrappers = params.wrappers
       UNION ALL
       SELECT p.function_id, NULL, 0, a.blocks - a.freed_blocks, a.bytes - a.freed_bytes, NULL, a.first_live_id
       FROM alloc_stacks a JOIN places p ON p.stack_id = a.id CROSS JOIN params
       WHERE a.blocks > a.freed_blocks
         AND (params.all_blocks OR a.id NOT IN (SELECT stack_id FROM kept_stacks))),
     pairs AS MATERIALIZED (
       SELECT allocator, freer, freed, sum(blocks) AS blocks, sum(bytes) AS bytes,
              sum(residence_ns) AS residence_ns, min(alloc) AS alloc,
              sum(sum(blocks)) OVER (PARTITION BY allocator) AS all_blocks
       FROM flows GROUP BY allocator, freer, freed)
SELECT coalesce(a.name, '(outside any traced call)') AS allocated_by,
       a.location AS allocated_location,
       CASE WHEN p.freed THEN coalesce(f.name, '(outside any traced call)') ELSE '(not freed)' END AS freed_by,
       f.location AS freed_location,
       p.blocks,
       round(100.0 * p.blocks / p.all_blocks, 1) AS share,
       p.bytes,
       CASE WHEN p.freed THEN round(1.0 * p.residence_ns / p.blocks, 1) END AS mean_lifetime_ns,
       p.alloc
FROM pairs p CROSS JOIN params
     LEFT JOIN function_details a ON a.id = p.allocator
     LEFT JOIN function_details f ON f.id = p.freer
WHERE p.blocks >= params.min_blocks
ORDER BY p.blocks DESC, p.bytes DESC, p.allocator, p.freer, p.freed
