-- title:       Cross-thread frees
-- question:    Which blocks are freed by another thread?
-- group:       Memory
-- description: Blocks that one thread allocated and another freed: the paths from producer to consumer,
--              and how long the blocks took.
-- advice:      Such frees cost locks or atomics in most allocators: hand the block back to its
--              producer for reuse, or copy what is small. The residence time is the time in the
--              queue between the two. Blocks handed over once at start-up do not matter.
-- source:      remote frees, as in the design of jemalloc and mimalloc
-- report:      findings
-- param:       min_blocks = 10 | blocks | leave out paths with fewer
-- param:       wrappers = 0 | 0 or 1 | 1 = name wrappers of malloc, such as xmalloc, not their callers
-- filter:      thread = alloc_thread free_thread
-- column:      allocated_by | - | function of the producer
-- column:      allocated_at | - | where
-- column:      alloc_thread | - | its thread
-- column:      freed_by | - | function of the consumer
-- column:      freed_at | - | where
-- column:      free_thread | - | its thread
-- column:      blocks | blocks | that went this way
-- column:      bytes | bytes | in them
-- column:      mean_residence_ns | ns | from allocation to free
-- column:      max_residence_ns | ns | the longest
-- column:      alloc | id | allocs.id of one of them
WITH params AS (SELECT coalesce(:min_blocks, 10) AS min_blocks, coalesce(:wrappers, 0) AS wrappers),
     named AS MATERIALIZED ( -- the tid tells threads of one name apart
       SELECT id, CASE WHEN name IS NULL THEN '#' || tid
                       WHEN count(*) OVER (PARTITION BY name) > 1 THEN name || ' ' || tid ELSE name END AS name
       FROM threads)
SELECT coalesce(af.name, '(outside any traced call)') AS allocated_by,
       asite.location AS allocated_at,
       at.name AS alloc_thread,
       coalesce(ff.name, '(outside any traced call)') AS freed_by,
       fsite.location AS freed_at,
       ft.name AS free_thread,
       sum(b.blocks) AS blocks,
       sum(b.bytes) AS bytes,
       round(1.0 * sum(b.residence_ns) / sum(b.blocks), 1) AS mean_residence_ns,
       max(b.residence_max_ns) AS max_residence_ns,
       min(b.example_alloc_id) AS alloc
FROM block_flows b
     CROSS JOIN params
     JOIN alloc_places p ON p.stack_id = b.stack_id AND p.wrappers = params.wrappers
     JOIN free_places fp ON fp.flow_id = b.id AND fp.wrappers = params.wrappers
     JOIN named at ON at.id = b.alloc_thread_id
     JOIN named ft ON ft.id = b.free_thread_id
     LEFT JOIN functions af ON af.id = p.function_id
     LEFT JOIN site_details asite ON asite.id = p.site_id
     LEFT JOIN functions ff ON ff.id = fp.function_id
     LEFT JOIN site_details fsite ON fsite.id = fp.site_id
WHERE b.alloc_thread_id <> b.free_thread_id
GROUP BY p.function_id, p.site_id, b.alloc_thread_id, fp.function_id, fp.site_id, b.free_thread_id
HAVING sum(b.blocks) >= max(params.min_blocks)
ORDER BY sum(b.blocks) DESC, sum(b.bytes) DESC, min(b.example_alloc_id)
