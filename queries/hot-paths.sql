-- title:       Hot paths
-- question:    By which stacks were the hottest functions reached?
-- group:       Time
-- description: For each of the hottest functions, the longest stack through which at least
--              min_share of its own time came (of its calls, if it took no time). A function that
--              calls itself appears once.
-- advice:      A function that is nearly always reached by one path can be specialised for it
--              (arguments that are constant there, checks already made above), or its work can be
--              done once further up. Many paths lead to a function without a row: improve the
--              function itself.
-- source:      calling context tree: Ammons, Ball & Larus 1997
-- report:      overview
-- param:       by = 'cpu' | cpu/wall/wait | the hottest by processor time, all time, or waiting
-- param:       functions = 30 | functions | for this many, the hottest first
-- param:       min_share = 50 | % | least share of the function's time that the path carries
-- param:       max_length = 16 | functions | cut the path after so many
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      calls_this_way | calls | calls that came by the path
-- column:      share | % | of the function's own time, by the path
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
              row_number() OVER (ORDER BY CASE params.by WHEN 'wall' THEN self_ns WHEN 'wait' THEN self_wait_ns
                                 ELSE self_cpu_ns END
                                 DESC, self_ns DESC, function_id) AS place
       FROM function_stats CROSS JOIN params),
     -- The hot functions' contexts by the function that called them (0 = none did), with the contexts that called that
     -- one, as JSON: {"context": "calls weight", ...}. Both functions are one number, which takes half the time to sort by.
     -- LIMIT -1 is no limit: with it SQLite works each column out once, not wherever it is used.
     reached AS MATERIALIZED (
       SELECT way >> 32 AS function_id, way & 4294967295 AS top_id, sum(calls) AS calls, sum(weight) AS weight,
              json_group_object(next_id, calls || ' ' || weight) FILTER (WHERE next_id IS NOT NULL) AS callers
       FROM (SELECT hot.function_id << 32 | CASE caller.function_id WHEN hot.function_id THEN coalesce(up.function_id, 0)
                                            ELSE coalesce(caller.function_id, 0) END AS way,
                    CASE caller.function_id WHEN hot.function_id THEN up.parent_id ELSE caller.parent_id END AS next_id,
                    fr.calls,
                    CASE params.by WHEN 'wall' THEN fr.self_ns WHEN 'wait' THEN fr.self_wait_ns ELSE fr.self_cpu_ns END AS weight
             FROM hot CROSS JOIN params CROSS JOIN frames fr ON fr.function_id = hot.function_id
                  LEFT JOIN frames caller ON caller.id = fr.parent_id
                  LEFT JOIN frames up ON up.id = CASE caller.function_id WHEN hot.function_id THEN (
                    WITH RECURSIVE climb(id, parent_id, function_id) AS ( -- a function that calls itself
                      SELECT caller.id, caller.parent_id, caller.function_id
                      UNION ALL
                      SELECT above.id, above.parent_id, above.function_id FROM climb
                             JOIN frames above ON above.id = climb.parent_id
                      WHERE climb.function_id = hot.function_id AND above.id < climb.id)
                    SELECT id FROM climb WHERE function_id <> hot.function_id) END
             WHERE hot.place <= params.functions AND fr.calls > 0
             LIMIT -1)
       GROUP BY way),
     whole AS MATERIALIZED ( -- where it took no time, by its calls
       SELECT function_id, calls, weight = 0 AS by_calls, CASE weight WHEN 0 THEN calls ELSE weight END AS weight
       FROM (SELECT function_id, sum(calls) AS calls, sum(weight) AS weight FROM reached GROUP BY function_id)),
     -- A path with the contexts that called it: [.., .., .., {"context": "calls weight", ...}]. A longer path carries no
     -- more than a shorter one, so only those that carry enough are followed further up.
     paths(function_id, top_id, length, ids, calls, weight, by_calls, needed, item) AS (
       SELECT function_id, function_id, 1, CAST(function_id AS INTEGER) || '', calls, weight, by_calls,
              params.min_share * weight, '[]'
       FROM whole CROSS JOIN params
       UNION ALL
       SELECT function_id, top_id, 2, top_id || ' ' || CAST(function_id AS INTEGER), calls, weight, by_calls, needed,
              json_array(0, 0, 0, json(callers))
       FROM (SELECT reached.function_id, top_id, reached.calls, by_calls, params.min_share * whole.weight AS needed,
                    CASE by_calls WHEN 1 THEN reached.calls ELSE reached.weight END AS weight, callers
             FROM reached CROSS JOIN params JOIN whole ON whole.function_id = reached.function_id
             WHERE top_id > 0 AND params.max_length > 1)
       WHERE 100 * weight >= needed
       UNION ALL
       SELECT p.function_id, json_extract(longer.value, '$[0]'), p.length + 1,
              json_extract(longer.value, '$[0]') || ' ' || p.ids, json_extract(longer.value, '$[1]'),
              json_extract(longer.value, '$[2]'), p.by_calls, p.needed, longer.value
       FROM paths p CROSS JOIN params CROSS JOIN json_each((
              SELECT json_group_array(json(item))
              FROM (SELECT json_array(function_id, sum(calls), sum(weight),
                                      json_group_object(caller_id, carried) FILTER (WHERE caller_id IS NOT NULL)) AS item
                    FROM (SELECT coalesce(up.function_id, caller.function_id) AS function_id,
                                 CASE WHEN up.id IS NULL THEN caller.parent_id ELSE up.parent_id END AS caller_id,
                                 start.value AS carried, CAST(start.value AS INTEGER) AS calls,
                                 CAST(CASE p.by_calls WHEN 1 THEN start.value
                                      ELSE substr(start.value, instr(start.value, ' ') + 1) END AS INTEGER) AS weight
                          FROM json_each(p.item, '$[3]') start
                               CROSS JOIN frames caller ON caller.id = CAST(start.key AS INTEGER)
                               LEFT JOIN frames up ON up.id = CASE caller.function_id WHEN p.top_id THEN (
                                 WITH RECURSIVE climb(id, parent_id, function_id) AS (
                                   SELECT caller.id, caller.parent_id, caller.function_id
                                   UNION ALL
                                   SELECT fr.id, fr.parent_id, fr.function_id FROM climb JOIN frames fr ON fr.id = climb.parent_id
                                   WHERE climb.function_id = p.top_id AND fr.id < climb.id)
                                 SELECT id FROM climb WHERE function_id <> p.top_id) END
                          WHERE caller.function_id <> p.top_id OR up.id IS NOT NULL)
                    GROUP BY function_id
                    HAVING 100 * sum(weight) >= p.needed))) longer
       WHERE p.length BETWEEN 2 AND params.max_length - 1),
     chosen AS MATERIALIZED (
       SELECT p.function_id, p.length, p.ids, p.calls,
              100.0 * p.weight / whole.weight AS share,
              row_number() OVER (PARTITION BY p.function_id ORDER BY p.length DESC, p.weight DESC, p.ids) AS choice
       FROM paths p CROSS JOIN params JOIN whole ON whole.function_id = p.function_id
       WHERE 100 * p.weight >= params.min_share * whole.weight),
     split(function_id, rest, text) AS (
       SELECT function_id, ids || ' ', '' FROM chosen WHERE choice = 1 AND length > 1
       UNION ALL
       SELECT function_id, substr(rest, instr(rest, ' ') + 1),
              text || CASE text WHEN '' THEN '' ELSE ' => ' END ||
              (SELECT name FROM functions WHERE id = CAST(substr(rest, 1, instr(rest, ' ') - 1) AS INTEGER))
       FROM split WHERE instr(rest, ' ') > 0)
SELECT f.name AS function,
       f.location,
       chosen.calls AS calls_this_way,
       round(chosen.share, 1) AS share,
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
