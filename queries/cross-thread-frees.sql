-- title:       Cross-thread frees
-- question:    Which blocks are freed by another thread?
-- group:       Memory
-- description: Blocks that one thread allocated and another freed: the paths from producer to consumer,
--              and how long the blocks took.
-- advice:      Such frees cost locks or atomics in most allocators: hand the block back to its
--              producer for reuse, or copy what is small. The residence time is the time in the
--              queue between the two. Blocks handed over once at start-up do not matter.
-- source:      remote frees, as in the design of jemalloc and mimalloc
-- needs:       allocations
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
-- column:      freed_together | % | of them: the most that one call freed, at least
-- column:      freed_in | - | the function of that call, or of its caller where each call frees a block
-- column:      freeing_call | id | calls.id of that call; NULL if no call freed two
-- column:      alloc | id | allocs.id of one of them
WITH params AS (SELECT coalesce(:min_blocks, 10) AS min_blocks, coalesce(:wrappers, 0) AS wrappers),
     named AS MATERIALIZED ( -- the tid tells threads of one name apart
       SELECT id, CASE WHEN name IS NULL THEN '#' || tid
                       WHEN count(*) OVER (PARTITION BY name) > 1 THEN name || ' ' || tid ELSE name END AS name
       FROM threads),
     paths AS MATERIALIZED (
       SELECT b.id AS flow_id, b.blocks, b.bytes, b.residence_ns, b.residence_max_ns, b.example_alloc_id,
              b.alloc_thread_id, b.free_thread_id, p.function_id, p.site_id,
              fp.function_id AS free_function_id, fp.site_id AS free_site_id,
              dense_rank() OVER (ORDER BY p.function_id, p.site_id, b.alloc_thread_id, fp.function_id, fp.site_id,
                                          b.free_thread_id) AS path
       FROM block_flows b
            CROSS JOIN params
            JOIN alloc_places p ON p.stack_id = b.stack_id AND p.wrappers = params.wrappers
            JOIN free_places fp ON fp.flow_id = b.id AND fp.wrappers = params.wrappers
       WHERE b.alloc_thread_id <> b.free_thread_id),
     at_once AS MATERIALIZED ( -- by call: it may free what came in several contexts
       SELECT paths.path, g.call_id, g.function_id, sum(g.blocks) AS blocks,
              row_number() OVER (PARTITION BY paths.path ORDER BY sum(g.blocks) DESC, max(g.by_caller), g.call_id) AS place
       FROM paths CROSS JOIN params
            JOIN block_group_places g ON g.flow_id = paths.flow_id AND g.wrappers = params.wrappers
       GROUP BY paths.path, g.call_id)
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
       round(100.0 * g.blocks / sum(b.blocks), 1) AS freed_together,
       gf.name AS freed_in,
       g.call_id AS freeing_call,
       min(b.example_alloc_id) AS alloc
FROM paths b
     CROSS JOIN params
     JOIN named at ON at.id = b.alloc_thread_id
     JOIN named ft ON ft.id = b.free_thread_id
     LEFT JOIN at_once g ON g.path = b.path AND g.place = 1 AND g.blocks > 1
     LEFT JOIN functions gf ON gf.id = g.function_id
     LEFT JOIN functions af ON af.id = b.function_id
     LEFT JOIN site_details asite ON asite.id = b.site_id
     LEFT JOIN functions ff ON ff.id = b.free_function_id
     LEFT JOIN site_details fsite ON fsite.id = b.free_site_id
GROUP BY b.path
HAVING sum(b.blocks) >= max(params.min_blocks)
ORDER BY sum(b.blocks) DESC, sum(b.bytes) DESC, min(b.example_alloc_id)
