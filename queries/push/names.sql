SELECT DISTINCT stable(f.stable_id) AS function_id, f.name, coalesce(f.full_name, f.name) AS full_name,
       coalesce(f.linkage_name, f.name) AS linkage_name, coalesce(files.path, '') AS file,
       coalesce(m.name, '') AS module, f.own
FROM functions f LEFT JOIN files ON files.id = f.file_id LEFT JOIN modules m ON m.id = f.module_id
WHERE f.instrumented OR f.id IN (SELECT function_id FROM function_stats)
   OR f.id IN (SELECT function_id FROM alloc_places)
