-- title:       Not freed
-- question:    Which blocks were never freed, and whose are they?
-- group:       Memory
-- description: Blocks that were not freed at exit (reachability not checked), by the stack that
--              allocated them. What the C library keeps for itself, such as the buffer of stdout,
--              is left out and counted.
-- advice:      Blocks that are meant to live as long as the program (tables, caches) are not leaks.
--              A number of blocks that grows with the work done is one: compare two runs of
--              different length. If a process called exit() with calls open (see anomalies -p
--              normal=1), their objects were not destroyed. The stack outside any traced call is
--              code without hooks, such as libraries before main.
-- source:      valgrind memcheck's leak summary, without its reachability analysis
-- needs:       allocations
-- report:      findings
-- param:       min_bytes = 0 | bytes | leave out stacks with less
-- param:       all_blocks = 0 | - | 1 = also those that the C library keeps (--all-blocks)
-- param:       wrappers = 0 | 0 or 1 | 1 = name wrappers of malloc, such as xmalloc, not their callers
-- column:      bytes | bytes | not freed
-- column:      blocks | blocks | not freed
-- column:      function | - | function that allocated them
-- column:      location | - | where the allocation was called
-- column:      kind | - | malloc, new, ...
-- column:      stack | stack | calls that led there, outermost first
-- column:      all_blocks | blocks | allocated by this stack in all
-- column:      first_ns | ns | first of them allocated, since the run's start
-- column:      last_ns | ns | last of them allocated
-- column:      first_alloc | id | allocs.id of the first block not freed
WITH RECURSIVE
     params AS (SELECT coalesce(:min_bytes, 0) AS min_bytes, coalesce(:all_blocks, 0) AS all_blocks,
                       coalesce(:wrappers, 0) AS wrappers),
     live AS MATERIALIZED (
       SELECT a.* FROM alloc_stacks a CROSS JOIN params
       WHERE a.blocks > a.freed_blocks AND a.bytes - a.freed_bytes >= params.min_bytes
             AND (params.all_blocks OR a.id NOT IN (SELECT stack_id FROM kept_stacks))),
     walk(stack_id, frame_id, text) AS (
       SELECT live.id, fr.parent_id, f.name
       FROM live JOIN frames fr ON fr.id = live.frame_id JOIN functions f ON f.id = fr.function_id
       UNION ALL
       SELECT w.stack_id, fr.parent_id, f.name || ' => ' || w.text
       FROM walk w JOIN frames fr ON fr.id = w.frame_id JOIN functions f ON f.id = fr.function_id
       WHERE coalesce(fr.parent_id, 0) < fr.id),
     stacks AS MATERIALIZED (SELECT stack_id, text FROM walk WHERE frame_id IS NULL)
SELECT live.bytes - live.freed_bytes AS bytes,
       live.blocks - live.freed_blocks AS blocks,
       f.name AS function,
       coalesce(s.location, f.location) AS location,
       live.kind,
       coalesce(stacks.text, '(outside any traced call)') AS stack,
       live.blocks AS all_blocks,
       (SELECT alloc_ns FROM allocs WHERE id = live.first_live_id) AS first_ns,
       (SELECT alloc_ns FROM allocs WHERE id = live.last_live_id) AS last_ns,
       live.first_live_id AS first_alloc
FROM live
     CROSS JOIN params
     JOIN alloc_places p ON p.stack_id = live.id AND p.wrappers = params.wrappers
     LEFT JOIN function_details f ON f.id = p.function_id
     LEFT JOIN site_details s ON s.id = p.site_id
     LEFT JOIN stacks ON stacks.stack_id = live.id
ORDER BY 1 DESC, 2 DESC, live.id
