-- title:       Cross-thread frees
-- question:    Which blocks are freed by another thread?
-- group:       Memory
-- description: Blocks that one thread allocated and another freed: the paths from producer to consumer,
--              and how long the blocks took.
-- advice:      Such frees cost locks or atomics in most allocators: hand the block back to its producer
--              for reuse, or copy what is small. The residence time is that of the queue
--              between the two. Blocks handed over once at start-up do not matter.
-- source:      remote frees, as in the design of jemalloc and mimalloc
-- report:      findings
-- param:       min_blocks = 1 | blocks | leave out paths with fewer
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
WITH params AS (SELECT coalesce(:min_blocks, 1) AS min_blocks)
SELECT coalesce(af.name, '(outside any traced call)') AS allocated_by,
       asite.location AS allocated_at,
       coalesce(at.name, '#' || at.tid) AS alloc_thread,
       coalesce(ff.name, '(outside any traced call)') AS freed_by,
       fsite.location AS freed_at,
       coalesce(ft.name, '#' || ft.tid) AS free_thread,
       sum(b.blocks) AS blocks,
       sum(b.bytes) AS bytes,
       round(1.0 * sum(b.residence_ns) / sum(b.blocks), 1) AS mean_residence_ns,
       max(b.residence_max_ns) AS max_residence_ns,
       min(b.example_alloc_id) AS alloc
FROM block_flows b
     CROSS JOIN params
     JOIN alloc_stacks st ON st.id = b.stack_id
     JOIN threads at ON at.id = b.alloc_thread_id
     JOIN threads ft ON ft.id = b.free_thread_id
     LEFT JOIN frames afr ON afr.id = st.frame_id LEFT JOIN functions af ON af.id = afr.function_id
     LEFT JOIN site_details asite ON asite.id = st.site_id
     LEFT JOIN frames ffr ON ffr.id = b.free_frame_id LEFT JOIN functions ff ON ff.id = ffr.function_id
     LEFT JOIN site_details fsite ON fsite.id = b.free_site_id
WHERE b.alloc_thread_id <> b.free_thread_id
GROUP BY af.id, st.site_id, b.alloc_thread_id, ff.id, b.free_site_id, b.free_thread_id
HAVING sum(b.blocks) >= max(params.min_blocks)
ORDER BY sum(b.blocks) DESC, sum(b.bytes) DESC, min(b.example_alloc_id)
