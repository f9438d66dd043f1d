-- title:       Block owners
-- question:    Within whose calls do blocks live and die?
-- group:       Memory
-- description: For each place that allocates, the deepest function whose call encloses both the allocation
--              and the free: an arena for these blocks would live there.
-- advice:      An owner with many blocks can make one arena at its start and free it at its end: no single
--              frees, no leaks on error paths. An owner near the root (main) says only that the blocks live long.
--              Blocks freed by another thread, or not at all, have no owner.
-- source:      region-based memory management: Tofte & Talpin 1997
-- report:      findings
-- param:       min_blocks = 10 | blocks | leave out places with fewer
-- filter:      function = owner allocated_by
-- column:      owner | - | function whose call encloses the blocks' lives
-- column:      owner_location | - | where it is defined
-- column:      allocated_by | - | function that allocates
-- column:      allocated_at | - | where
-- column:      blocks | blocks | allocated there and owned so
-- column:      share | % | of the blocks allocated there
-- column:      bytes | bytes | in them
-- column:      distance | calls | contexts between owner and allocation
-- column:      owner_calls | calls | of the owner, in the contexts concerned
-- column:      alloc | id | allocs.id of one of them
WITH params AS (SELECT coalesce(:min_blocks, 10) AS min_blocks),
     places AS (
       SELECT fr.function_id, a.site_id, sum(a.blocks) AS blocks
       FROM alloc_stacks a JOIN frames fr ON fr.id = a.frame_id GROUP BY fr.function_id, a.site_id),
     owned AS MATERIALIZED (
       SELECT ofr.function_id AS owner_id, fr.function_id, a.site_id, sum(b.blocks) AS blocks,
              sum(b.bytes) AS bytes, min(fr.depth - ofr.depth) AS distance, max(ofr.calls) AS owner_calls,
              min(b.example_alloc_id) AS alloc
       FROM alloc_owners b JOIN alloc_stacks a ON a.id = b.stack_id
            JOIN frames fr ON fr.id = a.frame_id JOIN frames ofr ON ofr.id = b.owner_frame_id
       GROUP BY ofr.function_id, fr.function_id, a.site_id)
SELECT o.name AS owner,
       o.location AS owner_location,
       f.name AS allocated_by,
       coalesce(s.location, f.location) AS allocated_at,
       w.blocks,
       round(100.0 * w.blocks / p.blocks, 1) AS share,
       w.bytes,
       w.distance,
       w.owner_calls,
       w.alloc
FROM owned w
     JOIN places p ON p.function_id = w.function_id AND p.site_id IS w.site_id
     JOIN function_details o ON o.id = w.owner_id
     JOIN function_details f ON f.id = w.function_id
     LEFT JOIN site_details s ON s.id = w.site_id
     CROSS JOIN params
WHERE w.blocks >= params.min_blocks
ORDER BY w.blocks DESC, w.bytes DESC, w.alloc
