-- title:       Bad frees
-- question:    Which frees were of no block?
-- group:       Memory
-- description: Frees of an address that is not the start of a live block: it lies inside one, or
--              fisql never saw it as a block.
-- advice:      Inside a block: a pointer was moved (p++) before it was freed; the column offset says how far.
--              Unknown: memory of the stack, of a static array, or of another allocator. If it was allocated
--              while recording was off (--start-off), all is well.
-- source:      CWE-590, CWE-761; valgrind memcheck's invalid free
-- needs:       allocations
-- report:      errors
-- column:      function | - | that freed it
-- column:      location | - | where it did
-- column:      error | - | inside (a live block) or unknown
-- column:      kind | - | free, delete, realloc, ...
-- column:      ns | ns | when, since the run's start
-- column:      address | - | that was freed
-- column:      offset | bytes | from the start of the block it lies in
-- column:      size | bytes | of that block
-- column:      allocated_by | - | function that allocated that block
-- column:      allocated_at | - | where
-- column:      call | id | calls.id of the call that freed it
-- column:      alloc | id | allocs.id of the block
-- column:      stack | - | the calls that it was freed in, outermost first
-- column:      alloc_stack | - | those that the block was allocated in
WITH RECURSIVE
     asked(id) AS (
       SELECT frame_id FROM free_errors WHERE error <> 'double'
       UNION
       SELECT a.frame_id FROM free_errors e CROSS JOIN allocs a ON a.id = e.alloc_id WHERE e.error <> 'double'),
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
       e.error,
       e.kind,
       e.ns,
       printf('0x%x', e.address) AS address,
       e.address - a.address AS offset,
       a.size,
       af.name AS allocated_by,
       asite.location AS allocated_at,
       e.call_id AS call,
       e.alloc_id AS alloc,
       (SELECT text FROM stacks WHERE leaf_id = e.frame_id) AS stack,
       (SELECT text FROM stacks WHERE leaf_id = a.frame_id) AS alloc_stack
FROM free_errors e
     LEFT JOIN frames fr ON fr.id = e.frame_id LEFT JOIN functions f ON f.id = fr.function_id
     LEFT JOIN site_details s ON s.id = e.site_id
     LEFT JOIN allocs a ON a.id = e.alloc_id
     LEFT JOIN frames afr ON afr.id = a.frame_id LEFT JOIN functions af ON af.id = afr.function_id
     LEFT JOIN site_details asite ON asite.id = a.site_id
WHERE e.error <> 'double'
ORDER BY e.error, e.ns, e.id
