-- The statements of report_diff.c.

-- statement: changes
-- The functions of both runs as compare.h put them together, with an id for each name and file.
WITH a_ids AS MATERIALIZED (
       SELECT coalesce(f.full_name, f.name) AS name, coalesce(files.name, m.name, '') AS file, min(f.id) AS id
       FROM main.function_stats s JOIN main.functions f ON f.id = s.function_id
            LEFT JOIN main.files files ON files.id = f.file_id
            LEFT JOIN main.modules m ON m.id = f.module_id
       GROUP BY 1, 2),
     b_ids AS MATERIALIZED (
       SELECT coalesce(f.full_name, f.name) AS name, coalesce(files.name, m.name, '') AS file, min(f.id) AS id
       FROM other.function_stats s JOIN other.functions f ON f.id = s.function_id
            LEFT JOIN other.files files ON files.id = f.file_id
            LEFT JOIN other.modules m ON m.id = f.module_id
       GROUP BY 1, 2)
SELECT a_ids.id AS function_id, b_ids.id AS other_function_id, p.calls_a AS a_calls, p.calls_b AS b_calls,
       p.self_a AS a_self_ns, p.self_b AS b_self_ns, p.total_a AS a_total_ns, p.total_b AS b_total_ns,
       p.mean_a AS a_mean_ns, p.mean_b AS b_mean_ns, p.max_a AS a_max_ns, p.max_b AS b_max_ns,
       p.bytes_a AS a_alloc_bytes, p.bytes_b AS b_alloc_bytes, p.allocs_a AS a_allocs, p.allocs_b AS b_allocs, p.p,
       p.doubt_ns, p.beyond_noise, p.band AS noise
FROM temp.pairs p LEFT JOIN a_ids ON a_ids.name = p.name AND a_ids.file = p.file_a
     LEFT JOIN b_ids ON b_ids.name = p.name AND b_ids.file = p.file_b
ORDER BY abs(coalesce(p.self_b, 0) - coalesce(p.self_a, 0))
         + abs(coalesce(p.total_b, 0) - coalesce(p.total_a, 0)) / 4
         + 16 * abs(coalesce(p.calls_b, 0) - coalesce(p.calls_a, 0))
         + abs(coalesce(p.bytes_b, 0) - coalesce(p.bytes_a, 0)) DESC, function_id, other_function_id
