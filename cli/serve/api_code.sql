-- statement: function
SELECT f.id AS function_id, f.name AS function, f.address, f.size, m.path, m.build_id
FROM main.functions f LEFT JOIN main.modules m ON m.id = f.module_id WHERE f.id = ?1;

-- statement: sites
SELECT s.address, s.line, sum(e.calls) AS calls, sum(e.total_ns) AS total_ns, json_group_array(DISTINCT c.name) AS callees
FROM main.sites s JOIN main.edges e ON e.site_id = s.id JOIN main.functions c ON c.id = e.callee_id
WHERE s.function_id = ?1 GROUP BY s.id ORDER BY s.address, s.id;
