-- title:       Modules
-- question:    Do calls stay within files and modules?
-- group:       Inlining and call structure
-- description: Calls and time between files (or modules, or name prefixes): the coupling between them and
--              the cohesion within.
-- advice:      Two groups with many calls between them belong together, or need a coarser
--              interface. A group with few calls within it is a collection, not a module. Calls
--              through libraries without hooks do not show.
-- source:      coupling and cohesion: Stevens, Myers & Constantine 1974
-- report:      overview
-- param:       by = 'file' | file/module/prefix | file, module, or prefix (of the name, up to the first _ or ::)
-- filter:      function = from_group to_group
-- column:      from_group | - | group of the callers
-- column:      to_group | - | group of the callees
-- column:      kind | - | within (one group) or between
-- column:      calls | calls | direct calls
-- column:      share | % | of all calls with a caller
-- column:      back_calls | calls | calls in the other direction
-- column:      cpu_ns | ns | processor time in those calls with callees, outermost activations
-- column:      edges | pairs | distinct pairs of functions
-- column:      example_call | id | calls.id of the first such call
WITH params AS (SELECT coalesce(:by, 'file') AS way),
     grouped AS MATERIALIZED (
       SELECT f.id,
              CASE params.way
                WHEN 'module' THEN coalesce(m.name, '?')
                WHEN 'prefix' THEN CASE WHEN instr(f.name, '::') > 1 THEN substr(f.name, 1, instr(f.name, '::') - 1)
                                        WHEN instr(f.name, '_') > 1 THEN substr(f.name, 1, instr(f.name, '_') - 1)
                                        ELSE f.name END
                ELSE coalesce(files.name, m.name, '?') END AS name
       FROM function_stats s JOIN functions f ON f.id = s.function_id CROSS JOIN params
            LEFT JOIN modules m ON m.id = f.module_id LEFT JOIN files ON files.id = f.file_id),
     pairs AS MATERIALIZED (
       SELECT a.name AS from_group, b.name AS to_group, sum(e.calls) AS calls, sum(e.cpu_ns) AS cpu_ns,
              count(DISTINCT e.caller_id || ' ' || e.callee_id) AS edges, min(e.first_call_id) AS first_call
       FROM edges e JOIN grouped a ON a.id = e.caller_id JOIN grouped b ON b.id = e.callee_id
       GROUP BY 1, 2)
SELECT p.from_group,
       p.to_group,
       CASE WHEN p.from_group = p.to_group THEN 'within' ELSE 'between' END AS kind,
       p.calls,
       round(100.0 * p.calls / sum(p.calls) OVER (), 2) AS share,
       CASE WHEN p.from_group = p.to_group THEN NULL ELSE coalesce(b.calls, 0) END AS back_calls,
       p.cpu_ns,
       p.edges,
       p.first_call AS example_call
FROM pairs p LEFT JOIN pairs b ON b.from_group = p.to_group AND b.to_group = p.from_group
ORDER BY p.calls DESC, p.from_group, p.to_group
