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
