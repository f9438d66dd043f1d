-- title:       Hot paths
-- question:    By which stacks were the hottest functions reached?
-- group:       Time
-- description: For the hottest functions the longest common stack that leads to their calls: the most
--              callers above one another through which at least min_share of the calls came.
-- advice:      A function that is nearly always reached by one path can be specialised for it (arguments
--              that are constant there, checks already made above), or its work can be done once
--              further up. A short path means that many ways lead there: improve the function itself.
-- source:      calling context tree: Ammons, Ball & Larus 1997
-- report:      overview
-- param:       by = 'cpu' | cpu/wall/wait | the hottest by processor time, all time, or waiting
-- param:       functions = 30 | functions | for this many, the hottest first
-- param:       min_share = 50 | % | least share of the function's calls that the path carries
-- param:       max_length = 16 | functions | cut the path after so many
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      calls_this_way | calls | calls that came by the path
-- column:      share | % | of all calls of the function
-- column:      calls | calls | all calls of the function
-- column:      length | functions | in the path, the function included
-- column:      self_cpu_ns | ns | processor time in the function's own code, by all paths
-- column:      self_wait_ns | ns | time it waited in its own code, by all paths
-- column:      path | stack | the path, outermost first
WITH RECURSIVE
     params AS (SELECT coalesce(:functions, 30) AS functions, coalesce(:min_share, 50) AS min_share,
                       coalesce(:max_length, 16) AS max_length, coalesce(:by, 'cpu') AS by),
     hot AS MATERIALIZED (
       SELECT function_id, calls, self_cpu_ns, self_wait_ns, self_ns,
              row_number() OVER (ORDER BY CASE params.by WHEN 'wall' THEN self_ns WHEN 'wait' THEN self_wait_ns ELSE self_cpu_ns END
                                 DESC, self_ns DESC, function_id) AS place
       FROM function_stats CROSS JOIN params),
     walk(function_id, calls, up_id, length, ids) AS (
       SELECT hot.function_id, fr.calls, fr.parent_id, 1, CAST(fr.function_id AS INTEGER) || ''
       FROM hot CROSS JOIN params JOIN frames fr ON fr.function_id = hot.function_id
       WHERE hot.place <= params.functions AND fr.calls > 0
       UNION ALL
       SELECT w.function_id, w.calls, fr.parent_id, w.length + 1, CAST(fr.function_id AS INTEGER) || ' ' || w.ids
       FROM walk w CROSS JOIN params JOIN frames fr ON fr.id = w.up_id
       WHERE w.length < params.max_length AND coalesce(fr.parent_id, 0) < fr.id),
     paths AS (SELECT function_id, length, ids, sum(calls) AS calls FROM walk GROUP BY function_id, length, ids),
     chosen AS MATERIALIZED (
       SELECT p.function_id, p.length, p.ids, p.calls,
              row_number() OVER (PARTITION BY p.function_id ORDER BY p.length DESC, p.calls DESC, p.ids) AS choice
       FROM paths p CROSS JOIN params JOIN hot ON hot.function_id = p.function_id
       WHERE 100 * p.calls >= params.min_share * hot.calls),
     split(function_id, rest, text) AS (
       SELECT function_id, ids || ' ', '' FROM chosen WHERE choice = 1
       UNION ALL
       SELECT function_id, substr(rest, instr(rest, ' ') + 1),
              text || CASE text WHEN '' THEN '' ELSE ' => ' END ||
              (SELECT name FROM functions WHERE id = CAST(substr(rest, 1, instr(rest, ' ') - 1) AS INTEGER))
       FROM split WHERE instr(rest, ' ') > 0)
SELECT f.name AS function,
       f.location,
       chosen.calls AS calls_this_way,
       round(100.0 * chosen.calls / hot.calls, 1) AS share,
       hot.calls,
       chosen.length,
       hot.self_cpu_ns,
       hot.self_wait_ns,
       split.text AS path
FROM chosen
     JOIN hot ON hot.function_id = chosen.function_id
     JOIN split ON split.function_id = chosen.function_id AND split.rest = ''
     JOIN function_details f ON f.id = chosen.function_id
WHERE chosen.choice = 1
ORDER BY hot.place
