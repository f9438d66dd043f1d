-- The statements of export_graph_data.c. Times are by ?1, a word of --by.

-- statement: edges
SELECT coalesce(e.caller_id, 0), e.callee_id, coalesce(s.line, 0), sum(e.calls),
       sum(CASE ?1 WHEN 'wall' THEN e.total_ns WHEN 'wait' THEN e.wait_ns ELSE e.cpu_ns END)
FROM edges e LEFT JOIN sites s ON s.id = e.site_id
GROUP BY 1, 2, 3

-- statement: functions
SELECT function_id, CASE ?1 WHEN 'wall' THEN self_ns WHEN 'wait' THEN self_wait_ns ELSE self_cpu_ns END,
       CASE ?1 WHEN 'wall' THEN total_ns WHEN 'wait' THEN wait_ns ELSE cpu_ns END, calls
FROM function_stats
