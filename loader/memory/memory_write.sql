-- The statements of memory_write.c.

-- statement: places
-- Blocks by address, for what pointers among the values point to. Where a free is missing, a block that seems to live
-- may be gone: we leave such processes out.
INSERT INTO block_places
SELECT t.process_id, level_of(a.size), a.address, a.alloc_ns, a.id
FROM allocs a
     CROSS JOIN threads t ON t.id = a.thread_id
WHERE EXISTS (SELECT 1 FROM parameters p WHERE p.kind IN ('pointer', 'function', 'text'))
  AND t.process_id NOT IN (SELECT o.process_id
                           FROM anomalies n JOIN threads o ON o.id = n.thread_id
                           WHERE n.kind = 'impossible')
  AND NOT has_gap(t.process_id)
ORDER BY 1, 2, 3, 4, 5

-- statement: operators
-- A program's own operator new may take its blocks from malloc(), or its own operator delete give them to free(): a
-- library with libstdc++ in it does the one, and finds the other in the collector.
UPDATE block_flows
SET mismatched = 0, example_mismatch_id = NULL
WHERE mismatched > 0
  AND EXISTS (SELECT 1
              FROM alloc_stacks a JOIN frames fr ON fr.id = a.frame_id JOIN functions f ON f.id = fr.function_id
              WHERE a.id = block_flows.stack_id AND a.kind NOT GLOB 'new*' AND f.name GLOB 'operator new*'
              UNION ALL
              SELECT 1
              FROM alloc_stacks a CROSS JOIN frames fr JOIN functions f ON f.id = fr.function_id
              WHERE a.id = block_flows.stack_id AND a.kind GLOB 'new*' AND fr.id = block_flows.free_frame_id
                AND f.name GLOB 'operator delete*')
