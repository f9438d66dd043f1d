-- title:       Realloc chains
-- question:    Which blocks grew step by step?
-- group:       Memory
-- description: Blocks that were grown (or shrunk) many times by realloc: reserve the space once instead.
-- advice:      Ask for the final size at once, or double the size each time: blocks that did are
--              left out. In C++ containers grow by new and delete, not by realloc: reserve() is for
--              them. The place is the first caller that is no wrapper, such as one of an array that
--              grows by itself. copied_bytes is the most that moving the blocks can have cost; few
--              moves mean that the allocator grew them in place.
-- source:      chains of reallocs of one block
-- needs:       allocations
-- report:      findings
-- hides:       min_copied=0: their few steps copied next to nothing
-- param:       min_length = 3 | reallocs | leave out places whose longest chain is shorter
-- param:       min_copied = 4096 | bytes | leave out places where less was copied, by a sixteenth as many reallocs at most
-- param:       doubling = 0 | 0 or 1 | 1 = also blocks that doubled each time
-- param:       wrappers = 0 | 0 or 1 | 1 = name wrappers of malloc, such as xmalloc, not their callers
-- column:      function | - | that calls realloc last
-- column:      location | - | where
-- column:      chains | chains | blocks so grown
-- column:      longest | reallocs | in the longest chain
-- column:      reallocs | reallocs | in all chains
-- column:      moves | reallocs | that gave another address
-- column:      copied_bytes | bytes | that the moves had to copy
-- column:      first_size | bytes | at the start of the longest chain
-- column:      last_size | bytes | at its end
-- column:      stack | stack | calls that led to its last realloc, outermost first
-- column:      alloc | id | allocs.id of the last block of the longest chain
WITH RECURSIVE
     params AS (SELECT coalesce(:min_length, 3) AS min_length, coalesce(:wrappers, 0) AS wrappers,
                       coalesce(:min_copied, 4096) AS min_copied, coalesce(:doubling, 0) AS doubling),
     ranked AS (
       SELECT c.*, p.function_id, p.site_id, a.frame_id,
              row_number() OVER (PARTITION BY p.function_id, p.site_id ORDER BY c.length DESC, c.id) AS choice
       FROM alloc_chains c JOIN alloc_stacks a ON a.id = c.stack_id CROSS JOIN params
            JOIN alloc_places p ON p.stack_id = a.id AND p.wrappers = params.wrappers
       -- by half of its size each time, at least, as if doubled: the steps get fewer
       WHERE params.doubling OR c.last_size < c.first_size * pow(1.5, c.length - 1)),
     grouped AS MATERIALIZED (
       SELECT function_id, site_id, count(*) AS chains, max(length) AS longest, sum(length) AS reallocs,
              sum(moves) AS moves, sum(copied_bytes) AS copied_bytes,
              max(CASE choice WHEN 1 THEN first_size END) AS first_size,
              max(CASE choice WHEN 1 THEN last_size END) AS last_size,
              max(CASE choice WHEN 1 THEN last_alloc_id END) AS alloc,
              max(CASE choice WHEN 1 THEN frame_id END) AS frame_id
       FROM ranked CROSS JOIN params GROUP BY function_id, site_id
       HAVING max(length) >= max(params.min_length) AND max(sum(copied_bytes), 16 * sum(length)) >= max(params.min_copied)),
     walk(start_id, frame_id, text) AS (
       SELECT g.frame_id, fr.parent_id, f.name
       FROM grouped g JOIN frames fr ON fr.id = g.frame_id JOIN functions f ON f.id = fr.function_id
       UNION
       SELECT w.start_id, fr.parent_id, f.name || ' => ' || w.text
       FROM walk w JOIN frames fr ON fr.id = w.frame_id JOIN functions f ON f.id = fr.function_id
       WHERE coalesce(fr.parent_id, 0) < fr.id)
SELECT coalesce(f.name, '(outside any traced call)') AS function,
       coalesce(s.location, f.location) AS location,
       g.chains,
       g.longest,
       g.reallocs,
       g.moves,
       g.copied_bytes,
       g.first_size,
       g.last_size,
       (SELECT text FROM walk WHERE start_id = g.frame_id AND frame_id IS NULL) AS stack,
       g.alloc
FROM grouped g
     LEFT JOIN function_details f ON f.id = g.function_id
     LEFT JOIN site_details s ON s.id = g.site_id
ORDER BY g.copied_bytes DESC, g.reallocs DESC, g.alloc
