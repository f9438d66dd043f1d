-- title:       Handles
-- question:    What was opened, locked, or made, and not undone?
-- group:       Arguments and results
-- description: Pairs of functions, one of which gives what the other takes back: open and close, new and free,
--              lock and unlock, ref and unref. What was never given back, was given back twice, or was used
--              afterwards, each with its stacks. Pairs are found by their names (node_new and node_free;
--              gives and takes name others) and by the type that the one returns, or is passed, and the
--              other is passed. It is the one query that reads single calls with their values: of the
--              functions of such pairs, and of those that are passed the same type.
-- advice:      Given back twice and used afterwards are errors, unless another function gave the handle, too: name
--              all of them in gives. What is never given back is a leak if it happens again and again; what
--              lives until the program ends is none. Functions of which more than 16384 calls were
--              recorded are left out: record fewer (fisql record --values=PATTERN).
-- source:      type-state: Strom, Yemini, IEEE TSE 1986; that most calls keep a rule which few break: Engler et al., Bugs
--              as Deviant Behavior, SOSP 2001
-- report:      errors
-- needs:       values calls
-- filter:      function = gave took used
-- param:       gives = NULL | - | pattern of names of functions that give (by the usual words)
-- param:       takes = NULL | - | pattern of names of functions that take back (by the usual words)
-- param:       min_kept = 50 | % | leave out pairs whose handles are given back less often; with gives and takes, none
-- param:       stacks = 50 | rows | give the stacks for this many rows
-- column:      problem | - | given back twice, used afterwards, never given back
-- column:      gave | function | function that gave it
-- column:      took | function | function that takes it back
-- column:      used | function | function that used it afterwards
-- column:      times | calls | so often, from there
-- column:      of_calls | calls | of the function that gave
-- column:      handle | - | the first of them
-- column:      given_call | id | calls.id of the call that gave it
-- column:      taken_call | id | calls.id of the one that took it back, the first one
-- column:      used_call | id | calls.id of the one that took it back again, or used it
-- column:      given_stack | stack | where it was given
-- column:      taken_stack | stack | where it was taken back
-- column:      used_stack | stack | where it was taken back again, or used
WITH RECURSIVE
     params AS (SELECT :gives AS gives, :takes AS takes, coalesce(:min_kept, 50) AS min_kept, coalesce(:stacks, 50) AS stacks),
     words(give, take, of_argument) AS (
       VALUES ('open', 'close', 0), ('create', 'destroy', 0), ('create', 'free', 0), ('create', 'delete', 0), ('create', 'release', 0),
              ('create', 'close', 0), ('new', 'free', 0), ('new', 'delete', 0), ('new', 'destroy', 0), ('new', 'release', 0),
              ('alloc', 'free', 0), ('alloc', 'dealloc', 0), ('alloc', 'release', 0), ('make', 'free', 0), ('make', 'destroy', 0),
              ('get', 'put', 0), ('acquire', 'release', 0), ('borrow', 'return', 0), ('map', 'unmap', 0), ('begin', 'end', 0),
              ('start', 'stop', 0), ('connect', 'disconnect', 0), ('lock', 'unlock', 1), ('ref', 'unref', 1), ('retain', 'release', 1),
              ('enter', 'leave', 1), ('enter', 'exit', 1), ('attach', 'detach', 1), ('register', 'unregister', 1),
              ('subscribe', 'unsubscribe', 1), ('pin', 'unpin', 1), ('init', 'free', 1), ('init', 'destroy', 1), ('init', 'deinit', 1),
              ('init', 'fini', 1), ('init', 'release', 1), ('init', 'cleanup', 1)),
     spelled AS ( -- open, Open, OPEN
       SELECT give, take, of_argument FROM words
       UNION ALL SELECT upper(substr(give, 1, 1)) || substr(give, 2), upper(substr(take, 1, 1)) || substr(take, 2), of_argument FROM words
       UNION ALL SELECT upper(give), upper(take), of_argument FROM words),
     listed AS MATERIALIZED ( -- what may be a handle: pointers, numbers; the type without const
       SELECT p.function_id, f.name, p.position, p.kind, trim(replace(replace(p.type, 'const ', ''), 'const', '')) AS type, v.calls
       FROM parameters p JOIN parameter_stats v ON v.parameter_id = p.id JOIN functions f ON f.id = p.function_id
            JOIN function_stats s ON s.function_id = p.function_id
       WHERE v.listed = 1 AND v.calls > 0 AND p.position <= 30 AND p.kind IN ('pointer', 'signed', 'unsigned') AND p.type IS NOT NULL),
     named(gave_id, took_id, of_argument) AS (
       SELECT DISTINCT g.function_id, t.function_id, w.of_argument
       FROM params CROSS JOIN spelled w CROSS JOIN (SELECT DISTINCT function_id, name FROM listed) g ON instr(g.name, w.give) > 0
            JOIN functions n ON n.name = replace(g.name, w.give, w.take)
            JOIN (SELECT DISTINCT function_id FROM listed) t ON t.function_id = n.id
       WHERE params.gives IS NULL AND params.takes IS NULL AND g.function_id <> t.function_id
       UNION
       SELECT g.function_id, t.function_id, 0
       FROM params JOIN (SELECT DISTINCT function_id, name FROM listed) g ON g.name GLOB coalesce(params.gives, '*')
            JOIN (SELECT DISTINCT function_id, name FROM listed) t ON t.name GLOB coalesce(params.takes, '*')
       WHERE params.gives IS NOT NULL AND params.takes IS NOT NULL AND g.function_id <> t.function_id),
     matched AS MATERIALIZED ( -- by type: what it returns, or else what it is passed; where the word says so, the other way round
       SELECT n.gave_id, n.took_id, g.position AS gave_position, t.position AS took_position, g.type, g.kind,
              row_number() OVER (PARTITION BY n.gave_id, n.took_id
                                 ORDER BY (g.position = 0) = min(n.of_argument), g.kind <> 'pointer', t.position, g.position) AS place
       FROM named n CROSS JOIN listed g ON g.function_id = n.gave_id
            CROSS JOIN listed t ON t.function_id = n.took_id AND t.type = g.type AND t.position > 0
       -- a number is a handle where it is returned
       WHERE g.kind = 'pointer' OR (g.position = 0 AND n.of_argument = 0)
       GROUP BY n.gave_id, n.took_id, g.position, t.position),
     pairs AS MATERIALIZED (SELECT * FROM matched WHERE place = 1),
     makers AS MATERIALIZED ( -- all that give what a function takes back
       SELECT gave_id, took_id, gave_position, took_position, type, kind FROM pairs
       UNION
       SELECT g.function_id, p.took_id, 0, p.took_position, p.type, p.kind
       FROM pairs p CROSS JOIN params JOIN listed g ON g.type = p.type AND g.position = 0 AND g.kind = 'pointer'
       WHERE p.gave_position = 0 AND p.kind = 'pointer' AND params.gives IS NULL AND g.function_id <> p.took_id
         AND (lower(g.name) GLOB '*new*' OR lower(g.name) GLOB '*creat*' OR lower(g.name) GLOB '*alloc*' OR lower(g.name) GLOB '*open*'
              OR lower(g.name) GLOB '*make*' OR lower(g.name) GLOB '*clone*' OR lower(g.name) GLOB '*copy*' OR lower(g.name) GLOB '*dup*')),
     moves AS MATERIALIZED ( -- 1 = given, -1 = taken back
       SELECT m.took_id, m.gave_id AS function_id, 1 AS step, c.id AS call_id, c.thread_id, c.frame_id, v.value, c.enter_ns AS begin_ns,
              c.enter_ns + c.duration_ns AS ns, m.type,              c.enter_ns + c.duration_ns AS end_ns
       FROM makers m CROSS JOIN valued_calls l ON l.id BETWEEN m.gave_id << 38 AND (m.gave_id + 1 << 38) - 1
            CROSS JOIN call_values v ON v.id = (l.id & 0x3fffffffff) * 32 + m.gave_position
            CROSS JOIN calls c ON c.id = l.id & 0x3fffffffff
            LEFT JOIN parameters p ON p.function_id = m.gave_id AND p.position = 0
            LEFT JOIN call_values r ON r.id = c.id * 32
       WHERE typeof(v.value) = 'integer' AND CASE WHEN m.kind = 'pointer' THEN v.value <> 0 ELSE v.value >= 0 END
         AND NOT (m.gave_position > 0 AND coalesce(p.kind = 'bool' AND r.value = 0 OR p.kind = 'signed' AND r.value < 0, 0)) -- it failed
       UNION ALL
       SELECT t.took_id, t.took_id, -1, c.id, c.thread_id, c.frame_id, v.value, c.enter_ns, c.enter_ns, t.type,
              c.enter_ns + c.duration_ns
       FROM (SELECT DISTINCT took_id, took_position, type, kind FROM makers) t
            CROSS JOIN valued_calls l ON l.id BETWEEN t.took_id << 38 AND (t.took_id + 1 << 38) - 1
            CROSS JOIN call_values v ON v.id = (l.id & 0x3fffffffff) * 32 + t.took_position
            CROSS JOIN calls c ON c.id = l.id & 0x3fffffffff
       WHERE typeof(v.value) = 'integer' AND CASE WHEN t.kind = 'pointer' THEN v.value <> 0 ELSE v.value >= 0 END),
     ordered AS MATERIALIZED (
       SELECT m.*, t.process_id, sum(m.step = 1) OVER handle AS given
       FROM moves m JOIN threads t ON t.id = m.thread_id
       WINDOW handle AS (PARTITION BY m.took_id, t.process_id, m.value ORDER BY m.ns, m.call_id ROWS UNBOUNDED PRECEDING)),
     known AS MATERIALIZED ( -- from the first time on that it was given
       SELECT o.took_id, o.function_id, o.step, o.call_id, o.frame_id, o.value, o.begin_ns, o.ns, o.end_ns, o.type, o.process_id, o.given,
              lag(step) OVER handle AS step_before, lead(step) OVER handle AS step_after, lag(call_id) OVER handle AS call_before,
              sum(step) OVER handle AS balance, sum(step) OVER (PARTITION BY took_id, process_id, value) AS left_over
       FROM ordered o WHERE given > 0
       WINDOW handle AS (PARTITION BY took_id, process_id, value ORDER BY ns, call_id ROWS UNBOUNDED PRECEDING)),
     times_given AS MATERIALIZED (SELECT took_id, process_id, value, given, begin_ns, call_id FROM known WHERE step = 1),
     rules AS MATERIALIZED ( -- how well the pair keeps to it
       SELECT k.took_id, max(k.type) AS type, sum(k.step = 1) AS gives,
              sum(k.step = 1 AND NOT (k.left_over > 0 AND coalesce(k.step_after, 1) = 1)) AS kept,
              sum(k.step = -1) AS takes, sum(k.step = -1 AND k.step_before = -1 AND k.balance < 0) AS twice
       FROM known k GROUP BY k.took_id),
     sound AS MATERIALIZED (
       SELECT r.* FROM rules r CROSS JOIN params
       WHERE params.gives IS NOT NULL OR (100 * r.kept >= params.min_kept * r.gives AND 5 * r.twice <= r.takes)),
     gone AS MATERIALIZED ( -- taken back for good: until it is given again
       SELECT k.took_id, k.process_id, k.value, k.call_id, k.frame_id, k.end_ns, k.given, k.type
       FROM known k JOIN sound s ON s.took_id = k.took_id
            JOIN makers m ON m.took_id = k.took_id AND m.gave_position = 0 AND m.kind = 'pointer'
       WHERE k.step = -1 AND k.balance <= 0 AND coalesce(k.step_before, 1) = 1 AND k.type NOT IN ('void *', 'char *')
       GROUP BY k.took_id, k.call_id),
     users AS MATERIALIZED ( -- other functions that are passed such a type
       SELECT DISTINCT g.took_id, l.function_id, l.position
       FROM (SELECT DISTINCT took_id, type FROM gone) g JOIN listed l ON l.type = g.type AND l.position > 0
       WHERE l.function_id <> g.took_id AND NOT EXISTS (SELECT 1 FROM makers m WHERE m.took_id = g.took_id AND m.gave_id = l.function_id)),
     given_values AS MATERIALIZED (SELECT DISTINCT took_id, value FROM known),
     uses AS MATERIALIZED (
       SELECT u.took_id, u.function_id, l.id & 0x3fffffffff AS call_id, v.value, k.value IS NOT NULL AS given
       FROM users u CROSS JOIN valued_calls l ON l.id BETWEEN u.function_id << 38 AND (u.function_id + 1 << 38) - 1
            CROSS JOIN call_values v ON v.id = (l.id & 0x3fffffffff) * 32 + u.position
            LEFT JOIN given_values k ON k.took_id = u.took_id AND k.value = v.value
       WHERE typeof(v.value) = 'integer' AND v.value <> 0),
     covered AS MATERIALIZED ( -- others make such things, too, where many were used that were never given
       SELECT took_id FROM uses GROUP BY took_id HAVING 10 * sum(NOT given) <= count(*)),
     used_after AS MATERIALIZED (
       SELECT g.*, u.function_id AS used_id, u.call_id AS used_call_id, c.frame_id AS used_frame_id
       FROM gone g CROSS JOIN uses u ON u.took_id = g.took_id AND u.value = g.value CROSS JOIN calls c ON c.id = u.call_id
            CROSS JOIN threads t ON t.id = c.thread_id AND t.process_id = g.process_id
            LEFT JOIN times_given again ON again.took_id = g.took_id AND again.process_id = g.process_id AND again.value = g.value
                                           AND again.given = g.given + 1
       WHERE g.took_id IN (SELECT took_id FROM covered) AND c.enter_ns > g.end_ns AND c.enter_ns < coalesce(again.begin_ns, 1 << 62)),
     problems AS (
       SELECT 1 AS kind, k.took_id, k.process_id, k.given, NULL AS given_call, k.call_before AS taken_call, k.took_id AS used_id, k.call_id AS used_call,
              k.value, k.frame_id AS place
       FROM known k JOIN sound s ON s.took_id = k.took_id WHERE k.step = -1 AND k.step_before = -1 AND k.balance < 0
       UNION ALL
       SELECT 2, took_id, process_id, given, NULL, call_id, used_id, used_call_id, value, used_frame_id FROM used_after
       UNION ALL
       SELECT 3, k.took_id, k.process_id, k.given, k.call_id, NULL, NULL, NULL, k.value, k.frame_id
       FROM known k JOIN sound s ON s.took_id = k.took_id WHERE k.step = 1 AND k.left_over > 0 AND coalesce(k.step_after, 1) = 1),
     found AS MATERIALIZED ( -- the other columns are those of the first one
       SELECT kind, took_id, process_id, given, count(*) AS times, min(coalesce(used_call, given_call)) AS first_call, taken_call, used_id,
              used_call, value, place
       FROM problems GROUP BY kind, took_id, place),
     gave AS MATERIALIZED (SELECT took_id, function_id, count(*) AS calls FROM known WHERE step = 1 GROUP BY took_id, function_id),
     shown AS MATERIALIZED (
       SELECT f.*, g.call_id AS given_call, c.frame_id AS given_frame, fr.function_id AS gave_id,
              (SELECT t.frame_id FROM calls t WHERE t.id = f.taken_call) AS taken_frame,
              (SELECT u.frame_id FROM calls u WHERE u.id = f.used_call) AS used_frame,
              row_number() OVER (ORDER BY kind, times DESC, f.took_id, place) AS number
       FROM found f JOIN times_given g ON g.took_id = f.took_id AND g.process_id = f.process_id AND g.value = f.value AND g.given = f.given
            CROSS JOIN calls c ON c.id = g.call_id JOIN frames fr ON fr.id = c.frame_id),
     walk(leaf_id, frame_id, text) AS (
       SELECT leaf.id, fr.parent_id, f.name
       FROM (SELECT DISTINCT CASE which.column1 WHEN 1 THEN given_frame WHEN 2 THEN taken_frame ELSE used_frame END AS id
             FROM shown CROSS JOIN params CROSS JOIN (VALUES (1), (2), (3)) which WHERE number <= params.stacks) leaf
            JOIN frames fr ON fr.id = leaf.id JOIN functions f ON f.id = fr.function_id
       UNION ALL
       SELECT w.leaf_id, fr.parent_id, f.name || ' => ' || w.text
       FROM walk w JOIN frames fr ON fr.id = w.frame_id JOIN functions f ON f.id = fr.function_id
       WHERE coalesce(fr.parent_id, 0) < fr.id),
     -- in one piece: SQLite compiles all that is above once more for each place that names a table of it
     stacks AS MATERIALIZED (SELECT json_group_object(leaf_id, text) AS texts FROM walk WHERE frame_id IS NULL)
SELECT CASE s.kind WHEN 1 THEN 'given back twice' WHEN 2 THEN 'used afterwards' ELSE 'never given back' END AS problem,
       g.name AS gave,
       t.name AS took,
       u.name AS used,
       s.times,
       (SELECT calls FROM gave WHERE gave.took_id = s.took_id AND gave.function_id = s.gave_id) AS of_calls,
       CASE WHEN (SELECT max(kind) FROM makers m WHERE m.took_id = s.took_id) = 'pointer' THEN printf('0x%x', s.value)
            ELSE CAST(s.value AS TEXT) END AS handle,
       s.given_call,
       s.taken_call,
       s.used_call,
       json_extract(stacks.texts, '$."' || s.given_frame || '"') AS given_stack,
       json_extract(stacks.texts, '$."' || s.taken_frame || '"') AS taken_stack,
       json_extract(stacks.texts, '$."' || s.used_frame || '"') AS used_stack
FROM shown s CROSS JOIN stacks
     JOIN functions g ON g.id = s.gave_id
     JOIN functions t ON t.id = s.took_id
     LEFT JOIN functions u ON u.id = s.used_id
ORDER BY s.number
