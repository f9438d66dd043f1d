-- The statements of cmd_modules.c.

-- statement: put
INSERT INTO module_map (position, name, kind, pattern) VALUES (?1, ?2, ?3, ?4)

-- statement: firsts
-- The first pattern that fits each function. They fit as --file, --function and --module do (query_filter.c): a file's
-- path as a whole or its end, a function's short or full name with its parameters or without. Files and libraries are
-- compared once, not with each function.
CREATE TEMP TABLE firsts AS
WITH by_file AS MATERIALIZED (
       SELECT files.id, min(m.position) AS position
       FROM module_map m CROSS JOIN files
       WHERE m.kind = 'file' AND (files.path = m.pattern OR files.path GLOB m.pattern OR files.path GLOB '*/' || m.pattern)
       GROUP BY files.id),
     by_library AS MATERIALIZED (
       SELECT l.id, min(m.position) AS position
       FROM module_map m CROSS JOIN modules l
       WHERE m.kind = 'lib' AND (l.name = m.pattern OR l.name GLOB m.pattern)
       GROUP BY l.id),
     by_name AS MATERIALIZED (
       SELECT f.id, min(m.position) AS position
       FROM module_map m CROSS JOIN functions f
       WHERE m.kind = 'fn'
         AND (f.name = m.pattern OR f.name GLOB m.pattern OR f.name GLOB m.pattern || '[(<]*'
              OR f.full_name = m.pattern OR f.full_name GLOB m.pattern
              OR ' ' || f.full_name GLOB '* ' || m.pattern || '[(<]*')
       GROUP BY f.id),
     behind AS (SELECT count(*) + 1 AS position FROM module_map) -- the last one
SELECT f.id AS function_id,
       min(coalesce(by_file.position, behind.position), coalesce(by_library.position, behind.position),
           coalesce(by_name.position, behind.position)) AS position
FROM functions f CROSS JOIN behind
     LEFT JOIN by_file ON by_file.id = f.file_id
     LEFT JOIN by_library ON by_library.id = f.module_id
     LEFT JOIN by_name ON by_name.id = f.id

-- statement: map
INSERT INTO mapped_functions (function_id, name)
SELECT p.function_id, m.name FROM temp.firsts p JOIN module_map m ON m.position = p.position

-- statement: idle
-- The patterns that no function has its module from.
SELECT position, kind || ':' || pattern FROM module_map
WHERE position NOT IN (SELECT position FROM temp.firsts)
ORDER BY position

-- statement: modules
-- The modules of the map in its order, then the programs and libraries of the functions that it leaves.
WITH named AS (SELECT name, min(position) AS position FROM module_map GROUP BY name),
     sums AS (
       SELECT u.name AS mapped, CASE WHEN u.name IS NULL THEN l.name END AS library, count(*) AS functions,
              count(s.function_id) AS called, coalesce(sum(s.calls), 0) AS calls, coalesce(sum(s.self_ns), 0) AS self_ns,
              coalesce(sum(s.self_cpu_ns), 0) AS self_cpu_ns
       FROM functions f
            LEFT JOIN mapped_functions u ON u.function_id = f.id LEFT JOIN modules l ON l.id = f.module_id
            LEFT JOIN function_stats s ON s.function_id = f.id AND s.calls > 0
       WHERE f.instrumented = 1 OR s.function_id IS NOT NULL
       GROUP BY 1, 2),
     listed AS (
       SELECT named.name AS module, 'map' AS source, named.position, coalesce(sums.functions, 0) AS functions,
              coalesce(sums.called, 0) AS called, coalesce(sums.calls, 0) AS calls, coalesce(sums.self_ns, 0) AS self_ns,
              coalesce(sums.self_cpu_ns, 0) AS self_cpu_ns
       FROM named LEFT JOIN sums ON sums.mapped = named.name
       UNION ALL
       SELECT coalesce(library, '?'), 'library', NULL, functions, called, calls, self_ns, self_cpu_ns
       FROM sums WHERE mapped IS NULL)
SELECT module, source, functions, called, calls, self_ns, self_cpu_ns,
       round(100.0 * self_ns / nullif(sum(self_ns) OVER (), 0), 1) AS share
FROM listed
ORDER BY position IS NULL, position, self_ns DESC, calls DESC, module

-- statement: rest
-- The functions that no pattern fits.
SELECT f.name AS function, files.path AS file, l.name AS library, coalesce(s.calls, 0) AS calls,
       coalesce(s.self_ns, 0) AS self_ns
FROM functions f
     LEFT JOIN files ON files.id = f.file_id LEFT JOIN modules l ON l.id = f.module_id
     LEFT JOIN function_stats s ON s.function_id = f.id AND s.calls > 0
WHERE (f.instrumented = 1 OR s.function_id IS NOT NULL) AND f.id NOT IN (SELECT function_id FROM mapped_functions)
ORDER BY self_ns DESC, calls DESC, f.name, f.id

-- statement: rest_count
SELECT count(*), count(s.function_id), (SELECT count(*) FROM module_map)
FROM functions f LEFT JOIN function_stats s ON s.function_id = f.id AND s.calls > 0
WHERE (f.instrumented = 1 OR s.function_id IS NOT NULL) AND f.id NOT IN (SELECT function_id FROM mapped_functions)
