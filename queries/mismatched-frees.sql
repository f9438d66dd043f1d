-- title:       Mismatched frees
-- question:    Which blocks were freed by the wrong function?
-- group:       Memory
-- description: Blocks that were freed by a family of functions other than the one that allocated them: new
--              and free, malloc and delete, new[] and delete. What a program's own operator new takes from
--              malloc is of the family new.
-- advice:      This is an error, even if it happens to work: new[] and delete may differ in what
--              they store before the block, and another allocator breaks it. Use the family's own,
--              or a smart pointer with the right deleter.
-- source:      CWE-762; valgrind memcheck's mismatched free
-- needs:       allocations
-- report:      errors
-- column:      allocated_by | - | function that allocated
-- column:      allocated_at | - | where
-- column:      kind | - | by what: malloc, new, new[], ...
-- column:      freed_by | - | function that freed
-- column:      freed_at | - | where
-- column:      free_kind | - | by what: free, delete, delete[], ...
-- column:      blocks | blocks | so freed
-- column:      call | id | calls.id of a call that did
-- column:      alloc | id | allocs.id of a block
-- column:      stack | - | the calls that this block was freed in, outermost first
-- column:      alloc_stack | - | those that it was allocated in
WITH RECURSIVE
     pairs AS MATERIALIZED (
       SELECT coalesce(af.name, '(outside any traced call)') AS allocated_by,
              asite.location AS allocated_at,
              st.kind,
              coalesce(ff.name, '(outside any traced call)') AS freed_by,
              fsite.location AS freed_at,
              a.free_kind,
              sum(b.mismatched) AS blocks,
              min(a.free_call_id) AS call,
              min(b.example_mismatch_id) AS alloc
       FROM block_flows b
            JOIN alloc_stacks st ON st.id = b.stack_id
            CROSS JOIN allocs a ON a.id = b.example_mismatch_id
            LEFT JOIN frames afr ON afr.id = st.frame_id LEFT JOIN functions af ON af.id = afr.function_id
            LEFT JOIN site_details asite ON asite.id = st.site_id
            LEFT JOIN frames ffr ON ffr.id = b.free_frame_id LEFT JOIN functions ff ON ff.id = ffr.function_id
            LEFT JOIN site_details fsite ON fsite.id = b.free_site_id
       WHERE b.mismatched > 0
       GROUP BY af.id, st.site_id, st.kind, ff.id, b.free_site_id, a.free_kind),
     asked(id) AS (
       SELECT a.free_frame_id FROM pairs CROSS JOIN allocs a ON a.id = pairs.alloc
       UNION
       SELECT a.frame_id FROM pairs CROSS JOIN allocs a ON a.id = pairs.alloc),
     walk(leaf_id, parent_id, text) AS (
       SELECT fr.id, fr.parent_id, f.name
       FROM asked CROSS JOIN frames fr ON fr.id = asked.id JOIN functions f ON f.id = fr.function_id
       UNION ALL
       SELECT w.leaf_id, fr.parent_id, f.name || ' => ' || w.text
       FROM walk w JOIN frames fr ON fr.id = w.parent_id JOIN functions f ON f.id = fr.function_id
       WHERE coalesce(fr.parent_id, 0) < fr.id),
     stacks AS MATERIALIZED (SELECT leaf_id, text FROM walk WHERE parent_id IS NULL)
SELECT pairs.*,
       (SELECT text FROM stacks WHERE leaf_id = a.free_frame_id) AS stack,
       (SELECT text FROM stacks WHERE leaf_id = a.frame_id) AS alloc_stack
FROM pairs CROSS JOIN allocs a ON a.id = pairs.alloc
ORDER BY pairs.blocks DESC, pairs.alloc
