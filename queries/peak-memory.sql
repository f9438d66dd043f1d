-- title:       Peak memory
-- question:    What held the memory when most was in use?
-- group:       Memory
-- description: The instant at which most bytes were live, and the stacks that held them then.
-- advice:      Make the first rows smaller, or free them before the peak. What is live but not needed at
--              that instant is the cheapest to save. Only blocks of malloc and the like count:
--              no stacks, no mapped files, no overhead of the allocator.
-- source:      massif's and heaptrack's peak
-- needs:       allocations
-- report:      overview
-- param:       min_bytes = 1 | bytes | leave out stacks with less
-- param:       wrappers = 0 | 0 or 1 | 1 = name wrappers of malloc, such as xmalloc, not their callers
-- column:      bytes | bytes | live at the peak
-- column:      share | % | of all bytes live then
-- column:      blocks | blocks | live at the peak
-- column:      function | - | that allocated them
-- column:      location | - | where the allocation is called
-- column:      kind | - | malloc, new, ...
-- column:      stack | stack | calls that led there, outermost first
-- column:      peak_ns | ns | the instant, since the run's start
-- column:      first_alloc | id | allocs.id of the stack's first block
WITH RECURSIVE
     params AS (SELECT coalesce(:min_bytes, 1) AS min_bytes, coalesce(:wrappers, 0) AS wrappers),
     peak AS (SELECT (SELECT CAST(value AS INTEGER) FROM run WHERE key = 'peak_ns') AS ns,
                     (SELECT sum(peak_bytes) FROM alloc_stacks) AS bytes),
     held AS MATERIALIZED (
       SELECT a.* FROM alloc_stacks a CROSS JOIN params
       WHERE a.peak_blocks > 0 AND a.peak_bytes >= params.min_bytes),
     walk(stack_id, frame_id, text) AS (
       SELECT held.id, fr.parent_id, f.name
       FROM held JOIN frames fr ON fr.id = held.frame_id JOIN functions f ON f.id = fr.function_id
       UNION ALL
       SELECT w.stack_id, fr.parent_id, f.name || ' => ' || w.text
       FROM walk w JOIN frames fr ON fr.id = w.frame_id JOIN functions f ON f.id = fr.function_id
       WHERE coalesce(fr.parent_id, 0) < fr.id),
     stacks AS MATERIALIZED (SELECT stack_id, text FROM walk WHERE frame_id IS NULL)
SELECT held.peak_bytes AS bytes,
       round(100.0 * held.peak_bytes / nullif(peak.bytes, 0), 1) AS share,
       held.peak_blocks AS blocks,
       coalesce(f.name, '(outside any traced call)') AS function,
       coalesce(s.location, f.location) AS location,
       held.kind,
       coalesce(stacks.text, '(outside any traced call)') AS stack,
       peak.ns AS peak_ns,
       held.first_alloc_id AS first_alloc
FROM held CROSS JOIN peak
     CROSS JOIN params
     JOIN alloc_places p ON p.stack_id = held.id AND p.wrappers = params.wrappers
     LEFT JOIN function_details f ON f.id = p.function_id
     LEFT JOIN site_details s ON s.id = p.site_id
     LEFT JOIN stacks ON stacks.stack_id = held.id
ORDER BY held.peak_bytes DESC, held.peak_blocks DESC, held.id
