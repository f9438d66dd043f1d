-- title:       Modules
-- question:    Do calls stay within files and modules?
-- group:       Inlining and call structure
-- description: Calls and time between files (or modules, or name prefixes): the coupling between them and
--              the cohesion within. A header counts as part of the source file of its name.
-- advice:      Two groups with many calls between them belong together, or need a coarser
--              interface. A group with few calls within it is a collection, not a module. Calls
--              through libraries without hooks do not show.
-- source:      coupling and cohesion: Stevens, Myers & Constantine 1974
-- report:      overview
-- param:       by = 'file' | file/module/prefix | file, module (of the map of `fisql modules`, else the program or
--              library), or prefix (of the name, up to the first _ or ::)
-- param:       inlined = 0 | 0 or 1 | 1 = also calls of bodies that the compiler inlined there
-- filter:      function = from_group to_group
-- column:      from_group | - | group of the callers
-- column:      to_group | - | group of the callees
-- column:      kind | - | within (one group) or between
-- column:      calls | calls | direct calls
-- column:      share | % | of all calls with a caller
-- column:      back_calls | calls | calls in the other direction
-- column:      self_cpu_ns | ns | processor time in the callees' own code in those calls
-- column:      edges | pairs | distinct pairs of functions
-- column:      example_call | id | calls.id of the first such call
WITH params AS (SELECT coalesce(:by, 'file') AS way, coalesce(:inlined, 0) AS inlined),
     -- a file's name up to its last dot; names alone, for a header may lie in another folder
     called_files AS MATERIALIZED (
       SELECT DISTINCT files.id, files.name, rtrim(files.name, replace(files.name, '.', '')) AS stem,
              lower(substr(files.name, length(rtrim(files.name, replace(files.name, '.', ''))) + 1))
                IN ('h', 'hh', 'hpp', 'hxx', 'h++', 'inl', 'ipp', 'tcc', 'inc') AS is_header
       FROM function_stats s JOIN functions f ON f.id = s.function_id JOIN files ON files.id = f.file_id),
     file_groups AS MATERIALIZED (
       SELECT c.id, CASE c.is_header WHEN 0 THEN c.name
                    ELSE coalesce((SELECT min(o.name) FROM called_files o WHERE o.stem = c.stem AND NOT o.is_header), c.name)
                    END AS name
       FROM called_files c),
     named AS (
       SELECT f.id, f.module_id, f.file_id,
              replace(replace(f.name, '(anonymous namespace)::', ''), '(anon)::', '') AS name
       FROM function_stats s JOIN functions f ON f.id = s.function_id),
     headed AS ( -- without template arguments and parameters: in them, there may be a :: too
       SELECT *, substr(name, 1, min(instr(name || '<', '<'), instr(name || '(', '(')) - 1) AS head FROM named),
     grouped AS MATERIALIZED (
       SELECT f.id,
              CASE params.way
                WHEN 'module' THEN coalesce(u.name, m.name, '?')
                WHEN 'prefix' THEN CASE WHEN instr(f.head, '::') > 1 THEN substr(f.head, 1, instr(f.head, '::') - 1)
                                        WHEN instr(f.head, '_') > 1 THEN substr(f.head, 1, instr(f.head, '_') - 1)
                                        WHEN f.head <> '' THEN f.head
                                        ELSE f.name END
                ELSE coalesce(files.name, m.name, '?') END AS name
       FROM headed f CROSS JOIN params
            LEFT JOIN modules m ON m.id = f.module_id LEFT JOIN file_groups files ON files.id = f.file_id
            LEFT JOIN mapped_functions u ON u.function_id = f.id),
     pairs AS MATERIALIZED (
       SELECT a.name AS from_group, b.name AS to_group, sum(e.calls) AS calls, sum(e.self_cpu_ns) AS self_cpu_ns,
              count(DISTINCT e.caller_id || ' ' || e.callee_id) AS edges, min(e.first_call_id) AS first_call
       FROM edges e CROSS JOIN params JOIN grouped a ON a.id = e.caller_id JOIN grouped b ON b.id = e.callee_id
       -- an inlined body's hooks tell the call site of the function it lies in
       WHERE params.inlined OR e.caller_id = e.callee_id
          OR NOT EXISTS (SELECT 1 FROM edges o WHERE o.callee_id = e.caller_id AND o.site_id = e.site_id)
       GROUP BY 1, 2)
SELECT p.from_group,
       p.to_group,
       CASE WHEN p.from_group = p.to_group THEN 'within' ELSE 'between' END AS kind,
       p.calls,
       round(100.0 * p.calls / sum(p.calls) OVER (), 1) AS share,
       CASE WHEN p.from_group = p.to_group THEN NULL ELSE coalesce(b.calls, 0) END AS back_calls,
       p.self_cpu_ns,
       p.edges,
       p.first_call AS example_call
FROM pairs p LEFT JOIN pairs b ON b.from_group = p.to_group AND b.to_group = p.from_group
ORDER BY p.calls DESC, p.from_group, p.to_group
