-- title:       Handles
-- question:    What was opened, locked, or made, and not undone?
-- group:       Arguments and results
-- description: Pairs of functions, one of which gives what the other takes back: open and close,
--              new and free, lock and unlock, ref and unref. A row is a handle that was never given
--              back, was given back twice, or was used afterwards, with its stacks. Pairs are found
--              by their names (node_new and node_free; gives and takes name others) and by the type
--              that one returns or takes and the other takes. No other query reads single calls
--              with their values: those of the functions of such pairs, and of functions that take
--              the same type, the rarest first.
-- advice:      Given back twice and used afterwards are errors, unless another function gave the
--              handle, too: name all of them in gives. What lives until the program ends is no
--              leak: the last handle that a place in the program made is left out, and handles that
--              it made at one time alone (min_span). Functions of which more than 16384 calls were
--              recorded are left out: record fewer (fisql record --values=PATTERN).
-- source:      type-state: Strom, Yemini, IEEE TSE 1986; that most calls keep a rule which few break: Engler et al., Bugs
--              as Deviant Behavior, SOSP 2001
-- report:      errors
-- needs:       values calls
-- filter:      function = gave took used
-- param:       gives = NULL | - | pattern of names of functions that give (by the usual words)
-- param:       takes = NULL | - | pattern of names of functions that take back (by the usual words)
-- param:       min_kept = 50 | % | leave out pairs whose handles are given back less often; with gives and takes, none
-- param:       min_span = 5 | % | of the run: leave out what a place made if it made all within this share and nothing made later is given back
-- param:       max_twice = 20 | % | leave out pairs whose handles are given back twice more often; with gives and takes, none
-- param:       max_twice_held = 5 | % | the same of locks and the like
-- param:       calls = 10000 | calls | of pairs of functions, and of functions that use handles, read so many, the rarest functions first
-- param:       stacks = 50 | rows | give the stacks for this many rows
-- column:      problem | - | given back twice, used afterwards, never given back
-- column:      gave | function | function that gave it
-- column:      took | function | function that takes it back
-- column:      used | function | function that used it afterwards
-- column:      times | calls | how often, from there
-- column:      of_calls | calls | of the function that gave
-- column:      handle | - | the first of them
-- column:      given_call | id | calls.id of the call that gave it
-- column:      taken_call | id | calls.id of the one that took it back, the first one
-- column:      used_call | id | calls.id of the one that took it back again, or used it
-- column:      given_stack | stack | where it was given
-- column:      taken_stack | stack | where it was taken back
-- column:      used_stack | stack | where it was taken back again, or used
WITH RECURSIVE
     params AS (SELECT :gives AS gives, :takes AS takes, coalesce(:min_kept, 50) AS min_kept, coalesce(:min_span, 5) AS min_span,
                       coalesce(:max_twice, 20) AS max_twice, coalesce(:max_twice_held, 5) AS max_twice_held,
                       coalesce(:calls, 10000) AS calls_max, coalesce(:stacks, 50) AS stacks),
     -- How valued_calls.id and call_values.id are packed: function and call, call and position (schema.sql).
     packed AS (SELECT 38 AS call_bits, (1 << 38) - 1 AS call_mask, 32 AS values_room),
     -- made: once, and given back once; held: given back or not, however often it was taken; counted: as often as it was taken
     words(give, take, of_argument, way) AS (
       VALUES ('open', 'close', 0, 'made'), ('create', 'destroy', 0, 'made'), ('create', 'free', 0, 'made'),
              ('create', 'delete', 0, 'made'), ('create', 'release', 0, 'made'), ('create', 'close', 0, 'made'),
              ('new', 'free', 0, 'made'), ('new', 'delete', 0, 'made'), ('new', 'destroy', 0, 'made'),
              ('new', 'release', 0, 'made'), ('alloc', 'free', 0, 'made'), ('alloc', 'dealloc', 0, 'made'),
              ('alloc', 'release', 0, 'made'), ('make', 'free', 0, 'made'), ('make', 'destroy', 0, 'made'),
              ('get', 'put', 0, 'counted'), ('acquire', 'release', 0, 'counted'), ('borrow', 'return', 0, 'counted'),
              ('map', 'unmap', 0, 'made'), ('begin', 'end', 0, 'made'), ('start', 'stop', 0, 'made'),
              ('connect', 'disconnect', 0, 'made'), ('lock', 'unlock', 1, 'held'), ('ref', 'unref', 1, 'counted'),
              ('retain', 'release', 1, 'counted'), ('enter', 'leave', 1, 'held'), ('enter', 'exit', 1, 'held'),
              ('attach', 'detach', 1, 'made'), ('register', 'unregister', 1, 'made'),
              ('subscribe', 'unsubscribe', 1, 'made'), ('pin', 'unpin', 1, 'counted'), ('init', 'free', 1, 'made'),
              ('init', 'destroy', 1, 'made'), ('init', 'deinit', 1, 'made'), ('init', 'fini', 1, 'made'),
              ('init', 'release', 1, 'made'), ('init', 'cleanup', 1, 'made')),
     spelled AS ( -- open, Open, OPEN
       SELECT give, take, of_argument, way FROM words
       UNION ALL
       SELECT upper(substr(give, 1, 1)) || substr(give, 2), upper(substr(take, 1, 1)) || substr(take, 2), of_argument, way
       FROM words
       UNION ALL SELECT upper(give), upper(take), of_argument, way FROM words),
     listed AS MATERIALIZED ( -- what may be a handle: pointers, numbers; the type without const
       SELECT p.id, p.function_id, f.name, p.position, p.kind, trim(replace(replace(p.type, 'const ', ''), 'const', '')) AS type,
              v.calls,
              v.absent + v.unreadable + v.no_room AS unknown
       FROM parameters p JOIN parameter_stats v ON v.parameter_id = p.id JOIN functions f ON f.id = p.function_id
            JOIN function_stats s ON s.function_id = p.function_id
       WHERE v.listed = 1 AND v.calls > 0 AND p.position <= 30 AND p.kind IN ('pointer', 'signed', 'unsigned')
         AND p.type IS NOT NULL),
     named(gave_id, took_id, of_argument, way) AS (
       SELECT DISTINCT g.function_id, t.function_id, w.of_argument, w.way
       FROM params CROSS JOIN spelled w CROSS JOIN (SELECT DISTINCT function_id, name FROM listed) g ON instr(g.name, w.give) > 0
            JOIN functions n ON n.name = replace(g.name, w.give, w.take)
            JOIN (SELECT DISTINCT function_id FROM listed) t ON t.function_id = n.id
       WHERE params.gives IS NULL AND params.takes IS NULL AND g.function_id <> t.function_id
       UNION
       SELECT g.function_id, t.function_id, 0, 'counted'
       FROM params JOIN (SELECT DISTINCT function_id, name FROM listed) g ON g.name GLOB coalesce(params.gives, '*')
            JOIN (SELECT DISTINCT function_id, name FROM listed) t ON t.name GLOB coalesce(params.takes, '*')
       WHERE params.gives IS NOT NULL AND params.takes IS NOT NULL AND g.function_id <> t.function_id),
     pairs AS MATERIALIZED ( -- by type: what it returns, or else what it is passed; where the word says so, the other way round
       SELECT * FROM (
         SELECT n.gave_id, n.took_id, n.way, g.position AS gave_position, t.position AS took_position, g.type, g.kind,
                g.calls + t.calls AS calls,
                t.unknown, row_number() OVER (PARTITION BY n.gave_id, n.took_id
                                   ORDER BY (g.position = 0) = min(n.of_argument), g.kind <> 'pointer', t.position,
                                   g.position) AS place
         FROM named n CROSS JOIN listed g ON g.function_id = n.gave_id
              CROSS JOIN listed t ON t.function_id = n.took_id AND t.type = g.type AND t.position > 0
         -- a number is a handle where it is returned
         WHERE g.kind = 'pointer' OR (g.position = 0 AND n.of_argument = 0)
         GROUP BY n.gave_id, n.took_id, g.position, t.position)
       WHERE place = 1),
     read AS MATERIALIZED ( -- the rarest functions, as far as it goes
       SELECT took_id FROM (SELECT took_id, sum(sum(calls)) OVER (ORDER BY sum(calls), took_id) AS calls FROM pairs
                            GROUP BY took_id)
            CROSS JOIN params WHERE calls <= calls_max OR gives IS NOT NULL),
     makers AS MATERIALIZED ( -- all that give what a function takes back
       SELECT gave_id, took_id, gave_position, took_position, type, kind, way, unknown FROM pairs
       WHERE took_id IN (SELECT took_id FROM read)
       UNION
       SELECT g.function_id, p.took_id, 0, p.took_position, p.type, p.kind, p.way, p.unknown
       FROM pairs p CROSS JOIN params JOIN listed g ON g.type = p.type AND g.position = 0 AND g.kind = 'pointer'
       WHERE p.gave_position = 0 AND p.kind = 'pointer' AND p.type NOT IN ('void *', 'char *') AND params.gives IS NULL
         AND g.function_id <> p.took_id
         AND p.took_id IN (SELECT took_id FROM read)
         AND (lower(g.name) GLOB '*new*' OR lower(g.name) GLOB '*creat*' OR lower(g.name) GLOB '*alloc*'
              OR lower(g.name) GLOB '*open*' OR lower(g.name) GLOB '*make*' OR lower(g.name) GLOB '*clone*'
              OR lower(g.name) GLOB '*copy*' OR lower(g.name) GLOB '*dup*')),
     moves AS MATERIALIZED ( -- 1 = given, when the call returns; -1 = taken back, when it begins
       SELECT m.took_id, m.function_id, m.step, c.id AS call_id, c.id + c.descendants AS last_id, t.process_id, c.frame_id,
              v.value,
              c.enter_ns AS begin_ns, c.enter_ns + CASE m.step WHEN 1 THEN c.duration_ns ELSE 0 END AS ns,
              c.enter_ns + c.duration_ns AS end_ns, m.type, m.kind AS kind_of, m.way, m.gave_position, m.unknown
       FROM (SELECT took_id, gave_id AS function_id, 1 AS step, gave_position AS position, gave_position, type, kind, way,
                    unknown FROM makers
             UNION ALL SELECT took_id, took_id, -1, took_position, max(gave_position), type, kind, min(way), unknown FROM makers
             GROUP BY took_id) m
            CROSS JOIN packed
            CROSS JOIN valued_calls l ON l.id BETWEEN m.function_id << call_bits AND m.function_id << call_bits | call_mask
            CROSS JOIN call_values v ON v.id = (l.id & call_mask) * values_room + m.position
            CROSS JOIN calls c ON c.id = l.id & call_mask
            CROSS JOIN threads t ON t.id = c.thread_id
            LEFT JOIN parameters p ON m.position > 0 AND m.step = 1 AND p.function_id = m.function_id AND p.position = 0
            LEFT JOIN call_values r ON p.id IS NOT NULL AND r.id = c.id * values_room
       WHERE (typeof(v.value) = 'integer' OR m.kind = 'pointer')
         AND CASE WHEN m.kind = 'pointer' THEN v.value <> 0 ELSE v.value >= 0 END
         AND NOT coalesce(p.kind = 'bool' AND r.value = 0 OR p.kind = 'signed' AND r.value < 0, 0)), -- it failed
     ordered AS MATERIALIZED (
       SELECT *, lag(call_id) OVER handle AS call_before, lag(last_id) OVER handle AS last_before
       FROM moves WINDOW handle AS (PARTITION BY took_id, process_id, value ORDER BY ns, call_id ROWS UNBOUNDED PRECEDING)),
     -- without those within each other: what hands on what another made, or begins anew what it has taken back
     counted AS MATERIALIZED (
       SELECT *, sum(step = 1) OVER (PARTITION BY took_id, process_id, value
                                     ORDER BY ns, call_id ROWS UNBOUNDED PRECEDING) AS given
       FROM ordered
       WHERE NOT coalesce(call_id BETWEEN call_before AND last_before OR call_before BETWEEN call_id AND last_id, 0)),
     known AS MATERIALIZED ( -- from the first time on that it was given
       SELECT *, lag(step) OVER handle AS step_before, lead(step) OVER handle AS step_after,
              lag(call_id) OVER handle AS taken_before,
              sum(step) OVER handle AS balance, sum(step) OVER (PARTITION BY took_id, process_id, value) AS left_over,
              max(CASE WHEN step = 1 THEN call_id END) OVER (PARTITION BY took_id, process_id, value, given) AS given_call,
              min(CASE WHEN step = 1 THEN begin_ns END) OVER (PARTITION BY took_id, process_id, value ORDER BY ns, call_id
                                                          ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS again_ns
       FROM counted WHERE given > 0
       WINDOW handle AS (PARTITION BY took_id, process_id, value ORDER BY ns, call_id ROWS UNBOUNDED PRECEDING)),
     judged AS MATERIALIZED (
       SELECT *, step = 1 AND coalesce(step_after, 1) = 1
                 AND CASE way WHEN 'counted' THEN left_over > 0 ELSE step_after IS NULL END AS lost,
              step = -1 AND step_before = -1 AND balance < 0 AS twice
       FROM known),
     sound AS MATERIALIZED ( -- of pairs that keep to it, and what of them is of interest
       SELECT * FROM (
         SELECT j.*, sum(step = 1) OVER pair AS made, sum(step = 1 AND step_after = -1) OVER pair AS kept,
                sum(lost) OVER pair AS losses,
                sum(step = -1) OVER pair AS taken, sum(twice) OVER pair AS twices,
                max(CASE WHEN step = 1 AND step_after = -1 THEN ns END) OVER place AS kept_ns,
                max(CASE WHEN lost THEN ns END) OVER place - min(CASE WHEN lost THEN ns END) OVER place AS place_ns
         FROM judged j WINDOW pair AS (PARTITION BY took_id), place AS (PARTITION BY took_id, frame_id)) CROSS JOIN params
       WHERE params.gives IS NOT NULL
             OR (100 * kept >= min_kept * made
                 AND 100 * twices <= CASE way WHEN 'held' THEN max_twice_held ELSE max_twice END * taken)),
     gone AS MATERIALIZED ( -- taken back for good: until it is given again
       SELECT took_id, process_id, value, call_id, given_call, end_ns, again_ns, type
       FROM sound WHERE step = -1 AND balance <= 0 AND coalesce(step_before, 1) = 1 AND gave_position = 0
            AND type NOT IN ('void *', 'char *')),
     users AS MATERIALIZED ( -- other functions that are passed such a type
       SELECT * FROM (
         SELECT g.took_id, l.function_id, l.position, sum(l.calls) OVER (ORDER BY l.calls, l.id, g.took_id) AS calls,
                sum(sum(k.calls)) OVER pair AS all_uses, -- of values that are told apart
                sum(sum(CASE WHEN (g.took_id, k.value) IN (SELECT took_id, value FROM known)
                             THEN k.calls ELSE 0 END)) OVER pair AS uses_of_given
         FROM (SELECT DISTINCT took_id, type FROM gone) g JOIN listed l ON l.type = g.type AND l.kind = 'pointer'
              AND l.position > 0
              JOIN value_counts k ON k.parameter_id = l.id AND k.value <> 0
         WHERE l.function_id <> g.took_id
           AND NOT EXISTS (SELECT 1 FROM makers m WHERE m.took_id = g.took_id AND m.gave_id = l.function_id)
         GROUP BY g.took_id, l.id WINDOW pair AS (PARTITION BY g.took_id)) CROSS JOIN params
       -- others make such things, too, where many were used that were never given
       WHERE calls <= calls_max AND 10 * uses_of_given >= 9 * all_uses),
     uses AS MATERIALIZED (
       SELECT u.took_id, u.function_id, c.id AS call_id, c.enter_ns, c.frame_id, c.thread_id, v.value
       FROM users u CROSS JOIN packed
            CROSS JOIN valued_calls l ON l.id BETWEEN u.function_id << call_bits AND u.function_id << call_bits | call_mask
            CROSS JOIN call_values v ON v.id = (l.id & call_mask) * values_room + u.position
                                        AND (u.took_id, v.value) IN (SELECT took_id, value FROM gone)
            CROSS JOIN calls c ON c.id = l.id & call_mask),
     problems AS (
       SELECT CASE WHEN twice THEN 1 ELSE 3 END AS kind, took_id, value, given_call,
              CASE WHEN twice THEN taken_before END AS taken_call,
              CASE WHEN twice THEN took_id END AS used_id, CASE WHEN twice THEN call_id END AS used_call, frame_id AS place,
              kind_of
       FROM sound
       WHERE twice OR lost AND losses > unknown -- one that is not known may have been given back where that is not known
                      AND (way <> 'made' OR ns < kept_ns -- one that was made later was given back
                           OR 100 * place_ns > min_span * (SELECT max(end_ns) - min(start_ns) FROM threads))
       UNION ALL
       SELECT 2, g.took_id, g.value, g.given_call, g.call_id, u.function_id, u.call_id, u.frame_id, 'pointer'
       FROM uses u CROSS JOIN gone g ON g.took_id = u.took_id AND g.value = u.value
                   AND u.enter_ns > g.end_ns AND u.enter_ns < coalesce(g.again_ns, 1 << 62)
            CROSS JOIN threads t ON t.id = u.thread_id AND t.process_id = g.process_id),
     found AS MATERIALIZED ( -- the other columns are those of the first one
       SELECT kind, took_id, count(*) AS times, min(coalesce(used_call, given_call)) AS first_call, given_call, taken_call,
              used_id, used_call,
              value, place, kind_of, row_number() OVER (ORDER BY kind, count(*) DESC, took_id, place) AS number
       FROM problems GROUP BY kind, took_id, place)
SELECT CASE s.kind WHEN 1 THEN 'given back twice' WHEN 2 THEN 'used afterwards' ELSE 'never given back' END AS problem,
       g.name AS gave,
       t.name AS took,
       u.name AS used,
       s.times,
       fs.calls AS of_calls,
       CASE WHEN s.kind_of = 'pointer' AND typeof(s.value) = 'integer' THEN printf('0x%x', s.value)
            ELSE CAST(s.value AS TEXT) END AS handle,
       s.given_call,
       s.taken_call,
       s.used_call,
       (WITH RECURSIVE up(parent_id, text) AS (
          SELECT fr.parent_id, f.name FROM calls c JOIN frames fr ON fr.id = c.frame_id JOIN functions f ON f.id = fr.function_id
          WHERE c.id = s.given_call AND s.number <= params.stacks
          UNION ALL
          SELECT fr.parent_id, f.name || ' => ' || up.text FROM up JOIN frames fr ON fr.id = up.parent_id
                 JOIN functions f ON f.id = fr.function_id
          WHERE coalesce(fr.parent_id, 0) < fr.id)
        SELECT text FROM up WHERE parent_id IS NULL) AS given_stack,
       (WITH RECURSIVE up(parent_id, text) AS (
          SELECT fr.parent_id, f.name FROM calls c JOIN frames fr ON fr.id = c.frame_id JOIN functions f ON f.id = fr.function_id
          WHERE c.id = s.taken_call AND s.number <= params.stacks
          UNION ALL
          SELECT fr.parent_id, f.name || ' => ' || up.text FROM up JOIN frames fr ON fr.id = up.parent_id
                 JOIN functions f ON f.id = fr.function_id
          WHERE coalesce(fr.parent_id, 0) < fr.id)
        SELECT text FROM up WHERE parent_id IS NULL) AS taken_stack,
       (WITH RECURSIVE up(parent_id, text) AS (
          SELECT fr.parent_id, f.name FROM calls c JOIN frames fr ON fr.id = c.frame_id JOIN functions f ON f.id = fr.function_id
          WHERE c.id = s.used_call AND s.number <= params.stacks
          UNION ALL
          SELECT fr.parent_id, f.name || ' => ' || up.text FROM up JOIN frames fr ON fr.id = up.parent_id
                 JOIN functions f ON f.id = fr.function_id
          WHERE coalesce(fr.parent_id, 0) < fr.id)
        SELECT text FROM up WHERE parent_id IS NULL) AS used_stack
FROM found s CROSS JOIN params
     CROSS JOIN calls c ON c.id = s.given_call JOIN frames fr ON fr.id = c.frame_id
     JOIN functions g ON g.id = fr.function_id
     JOIN function_stats fs ON fs.function_id = g.id
     JOIN functions t ON t.id = s.took_id
     LEFT JOIN functions u ON u.id = s.used_id
ORDER BY s.number
