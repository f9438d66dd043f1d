-- statement: file
SELECT f.id, f.path, (SELECT value FROM main.run WHERE key = 'started') AS started, f.md5 FROM main.files f WHERE f.id = ?1;

-- statement: file_of
SELECT file_id FROM main.functions WHERE id = ?1;

-- statement: line_calls
SELECT s.line, sum(e.calls) AS calls, sum(e.total_ns) AS total_ns, sum(e.cpu_ns) AS cpu_ns, sum(e.wait_ns) AS wait_ns,
       json_group_array(DISTINCT f.name) AS callees
FROM main.sites s JOIN main.edges e ON e.site_id = s.id JOIN main.functions f ON f.id = e.callee_id
WHERE s.file_id = ?1 AND s.line IS NOT NULL GROUP BY s.line ORDER BY s.line;

-- statement: line_allocs
SELECT s.line, sum(a.blocks) AS blocks, sum(a.bytes) AS bytes, sum(a.blocks - a.freed_blocks) AS live_blocks
FROM main.sites s JOIN main.alloc_stacks a ON a.site_id = s.id
WHERE s.file_id = ?1 AND s.line IS NOT NULL GROUP BY s.line ORDER BY s.line;

-- statement: line_functions
SELECT f.line, f.id AS function_id, f.name AS function, s.calls, s.self_cpu_ns, s.cpu_ns, s.self_ns, s.total_ns
FROM main.functions f JOIN main.function_stats s ON s.function_id = f.id
WHERE f.file_id = ?1 AND f.line IS NOT NULL ORDER BY f.line, f.id;
