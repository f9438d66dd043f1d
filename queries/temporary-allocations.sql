-- title:       Temporary allocations
-- question:    Which blocks are freed again at once?
-- group:       Memory
-- description: Blocks that the same thread freed after at most k other allocations, or after at
--              most 15 if no two of the stack's blocks were live at once: memory that was needed
--              only for a moment.
-- advice:      Put it on the stack, keep the buffer from call to call, or reserve once. A large block that is
--              rarely needed is better allocated when it is. Blocks that the realloc which made them also
--              replaced are steps of a growing one and left out (see realloc-chains), as are those that a library
--              allocated for itself.
-- source:      heaptrack's temporary allocations
-- needs:       allocations
-- report:      findings
-- hides:       min_saved=0: they would save less than a thousandth of the processor time
-- param:       k = 1 | blocks | allocations of the thread between allocation and free (up to 15)
-- param:       min_blocks = 100 | blocks | leave out stacks with fewer
-- param:       min_share = 25 | % | leave out stacks with a smaller share of such blocks
-- param:       min_saved = 0.1 | % | leave out what would save less of the run's processor time, at 20 ns a block
-- param:       wrappers = 0 | 0 or 1 | 1 = name wrappers of malloc, such as xmalloc, not their callers
-- column:      function | - | that allocates
-- column:      location | - | where the allocation is called
-- column:      temporary | blocks | freed so soon
-- column:      share | % | of the blocks of this stack
-- column:      bytes | bytes | in them
-- column:      kind | - | malloc, new, ...
-- column:      stack | stack | calls that led there, outermost first
-- column:      blocks | blocks | allocated by this stack
-- column:      first_alloc | id | allocs.id of the stack's first block
WITH RECURSIVE
     params AS (SELECT coalesce(:k, 1) AS k, coalesce(:min_blocks, 100) AS min_blocks,
                       coalesce(:min_share, 25) AS min_share,
                       coalesce(:wrappers, 0) AS wrappers, coalesce(:min_saved, 0.1) AS min_saved),
     whole AS MATERIALIZED (SELECT total(self_cpu_ns) AS cpu_ns FROM function_stats),
     short_lived AS MATERIALIZED (
       SELECT d.stack_id, sum(d.blocks) AS blocks, sum(d.bytes) AS bytes
       FROM alloc_distances d JOIN alloc_stacks a ON a.id = d.stack_id CROSS JOIN params
       WHERE d.allocs_between <= params.k OR a.live_blocks_max = 1 -- alloc_distances has up to 15
       GROUP BY d.stack_id HAVING sum(d.blocks) >= max(params.min_blocks)),
     brief AS MATERIALIZED (
       SELECT d.*
       FROM short_lived d JOIN alloc_stacks a ON a.id = d.stack_id CROSS JOIN params
            LEFT JOIN sites s ON s.id = a.site_id LEFT JOIN frames fr ON fr.id = a.frame_id
            LEFT JOIN functions f ON f.id = fr.function_id
       WHERE (a.kind GLOB 'new*' OR coalesce(s.module_id = f.module_id, 1)) AND 100 * d.blocks >= params.min_share * a.blocks
         AND (a.kind NOT GLOB 'realloc*' OR a.site_id IS NULL OR
              2 * (SELECT coalesce(sum(w.blocks), 0) FROM block_flows w
                   WHERE w.stack_id = a.id AND w.free_site_id = a.site_id) < d.blocks)),
     walk(stack_id, frame_id, text) AS (
       SELECT b.stack_id, fr.parent_id, f.name
       FROM brief b JOIN alloc_stacks a ON a.id = b.stack_id JOIN frames fr ON fr.id = a.frame_id
            JOIN functions f ON f.id = fr.function_id
       UNION ALL
       SELECT w.stack_id, fr.parent_id, f.name || ' => ' || w.text
       FROM walk w JOIN frames fr ON fr.id = w.frame_id JOIN functions f ON f.id = fr.function_id
       WHERE coalesce(fr.parent_id, 0) < fr.id)
SELECT coalesce(f.name, '(outside any traced call)') AS function,
       coalesce(s.location, f.location) AS location,
       b.blocks AS temporary,
       round(100.0 * b.blocks / a.blocks, 1) AS share,
       b.bytes,
       a.kind,
       (SELECT text FROM walk WHERE stack_id = b.stack_id AND frame_id IS NULL) AS stack,
       a.blocks,
       a.first_alloc_id AS first_alloc
FROM brief b
     JOIN alloc_stacks a ON a.id = b.stack_id
     CROSS JOIN params
     JOIN alloc_places p ON p.stack_id = b.stack_id AND p.wrappers = params.wrappers
     LEFT JOIN function_details f ON f.id = p.function_id
     LEFT JOIN site_details s ON s.id = p.site_id
     CROSS JOIN whole
WHERE 100 * b.blocks * 20 >= params.min_saved * whole.cpu_ns
ORDER BY b.blocks DESC, b.bytes DESC, b.stack_id
