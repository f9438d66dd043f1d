-- title:       Double frees
-- question:    Which blocks were freed twice?
-- group:       Memory
-- description: Pointers that were freed again with no allocation between: where the block was allocated,
--              first freed, and freed again.
-- advice:      Always an error: the second free may release another owner's block. Set the pointer
--              to NULL after the first free, or find out which code owns it. If recording was off
--              or chunks are lost before the second free, an allocation between may be missing: see
--              completeness.
-- source:      CWE-415; valgrind memcheck's invalid free
-- needs:       allocations
-- report:      errors
-- filter:      function = function allocated_by first_freed_by
-- column:      function | - | that freed again
-- column:      location | - | where it did
-- column:      kind | - | free, delete, realloc, ...
-- column:      ns | ns | when, since the run's start
-- column:      address | - | of the block
-- column:      size | bytes | of the block
-- column:      allocated_by | - | function that allocated it
-- column:      allocated_at | - | where
-- column:      first_freed_by | function | function that freed it first
-- column:      first_freed_at | - | where
-- column:      first_free_ns | ns | when
-- column:      call | id | calls.id of the call that freed again
-- column:      alloc | id | allocs.id of the block
-- column:      stack | - | the calls that it was freed again in, outermost first
-- column:      first_stack | - | those that it was first freed in
-- column:      alloc_stack | - | those that it was allocated in
WITH RECURSIVE
     asked(id) AS (
       SELECT frame_id FROM free_errors WHERE error = 'double'
       UNION
       SELECT a.free_frame_id FROM free_errors e CROSS JOIN allocs a ON a.id = e.alloc_id WHERE e.error = 'double'
       UNION
       SELECT a.frame_id FROM free_errors e CROSS JOIN allocs a ON a.id = e.alloc_id WHERE e.error = 'double'),
     walk(leaf_id, parent_id, text) AS (
       SELECT fr.id, fr.parent_id, f.name
       FROM asked CROSS JOIN frames fr ON fr.id = asked.id JOIN functions f ON f.id = fr.function_id
       UNION ALL
       SELECT w.leaf_id, fr.parent_id, f.name || ' => ' || w.text
       FROM walk w JOIN frames fr ON fr.id = w.parent_id JOIN functions f ON f.id = fr.function_id
       WHERE coalesce(fr.parent_id, 0) < fr.id),
     stacks AS MATERIALIZED (SELECT leaf_id, text FROM walk WHERE parent_id IS NULL)
SELECT coalesce(f.name, '(outside any traced call)') AS function,
       s.location,
       e.kind,
       e.ns,
       printf('0x%x', e.address) AS address,
       a.size,
       coalesce(af.name, '(outside any traced call)') AS allocated_by,
       asite.location AS allocated_at,
       coalesce(ff.name, '(outside any traced call)') AS first_freed_by,
       fsite.location AS first_freed_at,
       a.free_ns AS first_free_ns,
       e.call_id AS call,
       e.alloc_id AS alloc,
       (SELECT text FROM stacks WHERE leaf_id = e.frame_id) AS stack,
       (SELECT text FROM stacks WHERE leaf_id = a.free_frame_id) AS first_stack,
       (SELECT text FROM stacks WHERE leaf_id = a.frame_id) AS alloc_stack
FROM free_errors e
     LEFT JOIN frames fr ON fr.id = e.frame_id LEFT JOIN functions f ON f.id = fr.function_id
     LEFT JOIN site_details s ON s.id = e.site_id
     LEFT JOIN allocs a ON a.id = e.alloc_id
     LEFT JOIN frames afr ON afr.id = a.frame_id LEFT JOIN functions af ON af.id = afr.function_id
     LEFT JOIN site_details asite ON asite.id = a.site_id
     LEFT JOIN frames ffr ON ffr.id = a.free_frame_id LEFT JOIN functions ff ON ff.id = ffr.function_id
     LEFT JOIN site_details fsite ON fsite.id = a.free_site_id
WHERE e.error = 'double'
ORDER BY e.ns, e.id
