-- title:       Block owners
-- question:    Within whose calls do blocks live and die?
-- group:       Memory
-- description: For each place that allocates, the deepest function whose call encloses both the allocation
--              and the free: an arena for these blocks would live there.
-- advice:      An owner with many blocks can make one arena at its start and free it at its end: no
--              single frees, no leaks on error paths. An owner near the root says only that the
--              blocks live long: main, the first functions of other threads, and calls that last
--              for most of a thread's time are left out. So are owners with hardly a block a call,
--              which an arena does not help. Blocks freed by another thread, or not at all, have no
--              owner.
-- source:      region-based memory management: Tofte & Talpin 1997
-- needs:       allocations calls
-- report:      findings
-- hides:       min_saved=0: they would save less than a thousandth of the processor time
-- param:       min_blocks = 10 | blocks | leave out places with fewer
-- param:       min_per_call = 2 | blocks | leave out owners with fewer a call, over all places
-- param:       max_part = 50 | % | leave out owners whose calls last longer, of their thread's time
-- param:       roots = 0 | 0 or 1 | 1 = also owners without a caller, such as main
-- param:       min_saved = 0.1 | % | leave out what would save less of the run's processor time, at 20 ns a block
-- param:       wrappers = 0 | 0 or 1 | 1 = name wrappers of malloc, such as xmalloc, not their callers
-- filter:      function = owner allocated_by
-- column:      owner | - | function whose call encloses the blocks' lives
-- column:      owner_location | - | where it is defined
-- column:      allocated_by | - | function that allocates
-- column:      allocated_at | - | where
-- column:      blocks | blocks | allocated there and owned so
-- column:      share | % | of the blocks allocated there
-- column:      bytes | bytes | in them
-- column:      distance | calls | from the owner to the allocation, the shortest way
-- column:      owner_calls | calls | of the owner, in the contexts concerned
-- column:      alloc | id | allocs.id of one of them
WITH params AS (SELECT coalesce(:min_blocks, 10) AS min_blocks, coalesce(:roots, 0) AS roots,
                       coalesce(:wrappers, 0) AS wrappers, coalesce(:min_per_call, 2) AS min_per_call,
                       coalesce(:max_part, 50) AS max_part, coalesce(:min_saved, 0.1) AS min_saved),
     whole AS MATERIALIZED (SELECT total(self_cpu_ns) AS cpu_ns FROM function_stats),
     located AS MATERIALIZED ( -- one line may lie in several copies of code, each with its sites
       SELECT p.stack_id, p.frame_id, p.function_id, coalesce(s.location, f.location) AS location
       FROM alloc_places p JOIN function_details f ON f.id = p.function_id CROSS JOIN params
            LEFT JOIN site_details s ON s.id = p.site_id
       WHERE p.wrappers = params.wrappers AND coalesce(s.location, '') NOT GLOB 'in std::*'),
     places AS MATERIALIZED (
       SELECT l.function_id, l.location, sum(a.blocks) AS blocks
       FROM located l JOIN alloc_stacks a ON a.id = l.stack_id GROUP BY l.function_id, l.location),
     contexts AS MATERIALIZED ( -- of owners
       SELECT ofr.function_id AS owner_id, ofr.calls, ofr.parent_id IS NULL AS root, l.function_id, l.location,
              sum(b.blocks) AS blocks, sum(b.bytes) AS bytes, min(fr.depth - ofr.depth) AS distance,
              min(b.example_alloc_id) AS alloc
       FROM alloc_owners b JOIN located l ON l.stack_id = b.stack_id
            JOIN frames fr ON fr.id = l.frame_id JOIN frames ofr ON ofr.id = b.owner_frame_id
       GROUP BY ofr.id, l.function_id, l.location),
     owned AS MATERIALIZED (
       SELECT owner_id, function_id, location, sum(blocks) AS blocks, sum(bytes) AS bytes, min(distance) AS distance,
              sum(calls) AS owner_calls, max(root) AS root, min(alloc) AS alloc
       FROM contexts GROUP BY owner_id, function_id, location),
     owners AS MATERIALIZED ( -- with the calls of each context once, whatever they own
       SELECT c.function_id AS owner_id, sum(c.calls) AS calls, sum(b.blocks) AS blocks
       FROM (SELECT owner_frame_id, sum(blocks) AS blocks FROM alloc_owners GROUP BY owner_frame_id) b
            JOIN frames c ON c.id = b.owner_frame_id
       GROUP BY c.function_id)
SELECT o.name AS owner,
       o.location AS owner_location,
       f.name AS allocated_by,
       w.location AS allocated_at,
       w.blocks,
       round(100.0 * w.blocks / p.blocks, 1) AS share,
       w.bytes,
       w.distance,
       w.owner_calls,
       w.alloc
FROM owned w
     JOIN places p ON p.function_id = w.function_id AND p.location IS w.location
     JOIN function_details o ON o.id = w.owner_id
     JOIN function_details f ON f.id = w.function_id
     JOIN owners ON owners.owner_id = w.owner_id
     CROSS JOIN params CROSS JOIN whole
     LEFT JOIN allocs a ON a.id = w.alloc
     LEFT JOIN calls c ON c.id = a.owner_call_id
     LEFT JOIN threads t ON t.id = c.thread_id
WHERE w.blocks >= params.min_blocks AND 100 * w.blocks * 20 >= params.min_saved * whole.cpu_ns
  AND owners.blocks >= params.min_per_call * owners.calls
  AND (params.roots OR NOT w.root AND 100 * coalesce(c.duration_ns, 0) <= params.max_part * coalesce(t.end_ns - t.start_ns, 0))
ORDER BY w.blocks DESC, w.bytes DESC, w.alloc
