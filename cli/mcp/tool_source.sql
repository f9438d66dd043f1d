-- The statements of tool_source.c.

-- statement: function
-- The functions of a name or pattern; those of just that name first, then those called most. What folded code did is theirs.
SELECT f.id, f.name, p.path, f.line, f.file_id, coalesce(st.calls, 0), coalesce(st.cpu_ns, 0), coalesce(st.self_cpu_ns, 0),
       coalesce(st.total_allocs, 0), coalesce(st.total_alloc_bytes, 0), f.inlined
FROM functions f LEFT JOIN files p ON p.id = f.file_id LEFT JOIN function_stats st ON st.function_id = f.id
WHERE f.name = ?1 OR f.full_name = ?1 OR f.name GLOB ?1
ORDER BY (f.name = ?1 OR coalesce(f.full_name = ?1, 0)) DESC, coalesce(st.calls, 0) DESC, f.id
LIMIT 6

-- statement: next
-- The line where the next function of the file begins.
SELECT min(line) FROM functions WHERE file_id = ?1 AND line > ?2

-- statement: lines
-- What each place of a function's code did: its calls of functions with hooks, and its blocks.
WITH facts AS (
       SELECT s.file_id, s.line, s.id AS site_id, g.name AS what, sum(e.calls) AS calls, sum(e.cpu_ns) AS cpu_ns,
              0 AS blocks, 0 AS bytes
       FROM edges e JOIN sites s ON s.id = e.site_id JOIN functions g ON g.id = e.callee_id
       WHERE e.caller_id = ?1
       GROUP BY s.id, e.callee_id
       UNION ALL
       SELECT s.file_id, s.line, s.id, a.kind, 0, 0, sum(a.blocks), sum(a.bytes)
       FROM alloc_stacks a JOIN sites s ON s.id = a.site_id JOIN frames fr ON fr.id = a.frame_id
       WHERE fr.function_id = ?1
       GROUP BY s.id, a.kind)
SELECT CASE WHEN file_id IS ?2 THEN line END AS line, what, sum(calls), sum(cpu_ns), sum(blocks), sum(bytes),
       CASE WHEN file_id IS NOT ?2 OR line IS NULL THEN (SELECT location FROM site_details d WHERE d.id = site_id) END
FROM facts
GROUP BY 1, what, 7
ORDER BY line IS NULL, line, sum(cpu_ns) DESC, sum(bytes) DESC, what, 7

-- statement: started
SELECT value FROM run WHERE key = 'started'
