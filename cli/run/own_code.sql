-- The statements of own_code.c: temporary tables and views that hide the database's own. In them functions of the
-- system are folded into the own ones around them. own_code.c replaces `/* columns */` by what each column becomes.

-- statement: none_named
-- Is there a function of that name, and is none of them own?
SELECT max(own) = 0
FROM main.functions
WHERE name = ?1 OR name GLOB ?1 OR linkage_name = ?1

-- statement: has_others
SELECT EXISTS (SELECT 1 FROM main.function_stats s JOIN main.functions f ON f.id = s.function_id WHERE f.own = 0)

-- statement: has_external
SELECT EXISTS (SELECT 1 FROM main.functions WHERE external)

-- statement: contexts
SELECT fr.id, fr.site_id, fr.parent_id, fr.function_id, coalesce(f.own, 1)
FROM main.frames fr LEFT JOIN main.functions f ON f.id = fr.function_id
ORDER BY fr.id

-- statement: own_frames
-- Which context each became.
CREATE TEMP TABLE own_frames(id INTEGER PRIMARY KEY, own_id INTEGER, parent_id INTEGER, site_id INTEGER, depth INTEGER,
                             folded INTEGER);

-- statement: own_frames_row
INSERT INTO temp.own_frames VALUES (?1, ?2, nullif(?3, 0), nullif(?4, 0), ?5, ?6)

-- statement: frames
CREATE TEMP TABLE frames AS
SELECT /* columns */
FROM temp.own_frames o JOIN main.frames fr ON fr.id = o.id
GROUP BY o.own_id
ORDER BY o.own_id

-- statement: frames_done
CREATE UNIQUE INDEX temp.frames_id ON frames(id);
CREATE INDEX temp.frames_parent ON frames(parent_id);
CREATE INDEX temp.frames_function ON frames(function_id);
CREATE INDEX temp.own_frames_own ON own_frames(own_id);
UPDATE temp.frames
SET child_calls = coalesce((SELECT sum(calls) FROM temp.frames c WHERE c.parent_id = frames.id), 0),
    fastest_call_id = (SELECT fr.fastest_call_id
                       FROM temp.own_frames o JOIN main.frames fr ON fr.id = o.id
                       WHERE o.own_id = frames.id AND o.folded = 0 AND fr.min_ns = frames.min_ns
                       ORDER BY fr.id),
    slowest_call_id = (SELECT fr.slowest_call_id
                       FROM temp.own_frames o JOIN main.frames fr ON fr.id = o.id
                       WHERE o.own_id = frames.id AND o.folded = 0 AND fr.max_ns = frames.max_ns
                       ORDER BY fr.id),
    first_call_id = (SELECT min(fr.first_call_id)
                     FROM temp.own_frames o JOIN main.frames fr ON fr.id = o.id
                     WHERE o.own_id = frames.id AND o.folded = 0 AND fr.first_ns = frames.first_ns),
    last_call_id = (SELECT max(fr.last_call_id)
                    FROM temp.own_frames o JOIN main.frames fr ON fr.id = o.id
                    WHERE o.own_id = frames.id AND o.folded = 0 AND fr.last_ns = frames.last_ns);

-- statement: edges
CREATE TEMP TABLE edges AS
SELECT e.*
FROM main.edges e
WHERE e.callee_id IN (SELECT function_id FROM temp.frames)
  AND e.callee_id NOT IN (SELECT x.callee_id FROM main.edges x JOIN main.functions f ON f.id = x.caller_id
                          WHERE f.own = 0);
CREATE TEMP TABLE edge_contexts AS
SELECT o.own_id, o.id, n.function_id AS callee_id, n.site_id, p.function_id AS caller_id
FROM temp.own_frames o
     JOIN temp.frames n ON n.id = o.own_id
     LEFT JOIN temp.frames p ON p.id = n.parent_id
WHERE o.folded;
CREATE INDEX temp.edge_contexts_callee ON edge_contexts(callee_id, caller_id, site_id);
CREATE UNIQUE INDEX temp.edges_id ON edges(id);

-- statement: edges_added
UPDATE temp.edges AS e
SET /* columns */ id = e.id
WHERE EXISTS (SELECT 1 FROM temp.edge_contexts x
              WHERE x.callee_id = e.callee_id AND x.caller_id IS e.caller_id AND x.site_id IS e.site_id)

-- statement: edges_of_contexts
INSERT INTO temp.edges
SELECT /* columns */
FROM temp.frames fr LEFT JOIN temp.frames p ON p.id = fr.parent_id
WHERE fr.function_id NOT IN (SELECT callee_id FROM temp.edges)
GROUP BY p.function_id, fr.site_id, fr.function_id

-- statement: edges_done
CREATE INDEX temp.edges_caller ON edges(caller_id, callee_id);
CREATE INDEX temp.edges_callee ON edges(callee_id, caller_id);
CREATE INDEX temp.edges_entry ON edges(callee_id, site_id);
DROP TABLE temp.edge_contexts;

-- statement: new_sums
-- Sums of the function's contexts.
CREATE TEMP TABLE new_sums AS
SELECT fr.function_id AS of_function, fr.*
FROM (SELECT /* columns */, 0 AS unused
      FROM (SELECT id, id AS own_id, 0 AS parent_id, 0 AS site_id, 0 AS depth, 0 AS folded, function_id AS by_function
            FROM temp.frames) o
           JOIN temp.frames fr ON fr.id = o.id
      GROUP BY o.by_function) fr

-- statement: folded_sums
-- What was folded into them.
CREATE TEMP TABLE folded_sums AS
SELECT fr.function_id AS of_function, fr.*
FROM (SELECT /* columns */, 0 AS unused
      FROM (SELECT o.id, n.function_id AS own_id, 0 AS parent_id, 0 AS site_id, 0 AS depth, 0 AS folded
            FROM temp.own_frames o JOIN temp.frames n ON n.id = o.own_id
            WHERE o.folded) o
           JOIN main.frames fr ON fr.id = o.id
      GROUP BY o.own_id) fr

-- statement: sums_done
UPDATE folded_sums SET of_function = id;
CREATE INDEX temp.new_sums_of ON new_sums(of_function);
CREATE INDEX temp.folded_sums_of ON folded_sums(of_function);

-- statement: function_stats
CREATE TEMP TABLE function_stats AS
SELECT /* columns */
FROM main.function_stats s
     JOIN main.functions f ON f.id = s.function_id
     JOIN temp.new_sums n ON n.of_function = s.function_id
     LEFT JOIN temp.folded_sums k ON k.of_function = s.function_id
ORDER BY s.function_id

-- statement: function_stats_done
CREATE UNIQUE INDEX temp.function_stats_id ON function_stats(function_id);
DROP TABLE temp.new_sums;
DROP TABLE temp.folded_sums;

-- statement: thread_functions
CREATE TEMP TABLE thread_functions AS
SELECT /* columns */
FROM main.thread_functions t
     JOIN main.function_stats s ON s.function_id = t.function_id
     JOIN temp.function_stats n ON n.function_id = t.function_id
ORDER BY t.thread_id, t.function_id

-- statement: functions
CREATE TEMP VIEW functions AS
SELECT /* columns */
FROM main.functions t

-- statement: tables
-- All other tables of which a column is a context. Names that could be more than names are left out.
SELECT m.name
FROM main.sqlite_schema m
WHERE m.type = 'table' AND m.name <> 'frames' AND m.name NOT GLOB '*[^a-z0-9_]*' AND length(m.name) < 64
      AND EXISTS (SELECT 1 FROM pragma_table_xinfo(m.name, 'main') WHERE name GLOB '*frame_id')
ORDER BY m.name

-- statement: views
CREATE TEMP VIEW slow_calls AS
SELECT * FROM main.slow_calls t WHERE t.function_id IN (SELECT function_id FROM temp.function_stats);
CREATE TEMP VIEW durations AS
SELECT * FROM main.durations t WHERE t.function_id IN (SELECT function_id FROM temp.function_stats);
CREATE TEMP VIEW intervals AS
SELECT * FROM main.intervals t WHERE t.function_id IN (SELECT function_id FROM temp.function_stats);
CREATE TEMP VIEW recursions AS
SELECT * FROM main.recursions t WHERE t.function_id IN (SELECT function_id FROM temp.function_stats);
CREATE TEMP VIEW call_sequences AS
SELECT * FROM main.call_sequences t WHERE t.function_id IN (SELECT function_id FROM temp.function_stats);
CREATE TEMP VIEW context_edges AS
SELECT DISTINCT NULL AS id, p.function_id AS caller_id, p.site_id AS caller_site_id, fr.site_id,
       fr.function_id AS callee_id
FROM temp.frames fr LEFT JOIN temp.frames p ON p.id = fr.parent_id;
CREATE TEMP VIEW callee_runs AS
SELECT *
FROM main.callee_runs t
WHERE t.caller_id IN (SELECT function_id FROM temp.function_stats)
  AND t.callee_id IN (SELECT function_id FROM temp.function_stats);
CREATE TEMP VIEW callee_transitions AS
SELECT *
FROM main.callee_transitions t
WHERE t.caller_id IN (SELECT function_id FROM temp.function_stats)
  AND t.callee_id IN (SELECT function_id FROM temp.function_stats)
  AND (t.previous_id = 0 OR t.previous_id IN (SELECT function_id FROM temp.function_stats));
DROP VIEW temp.recorded_calls;
CREATE TEMP VIEW recorded_calls AS
SELECT c.*, fr.function_id
FROM main.calls c JOIN main.frames fr ON fr.id = c.frame_id;
DROP VIEW temp.recorded_frames;
CREATE TEMP VIEW recorded_frames AS
SELECT * FROM main.frames;

-- statement: columns
-- A table's columns, and whether contexts have such a one, too. Names that could be more than names are left out.
SELECT name, EXISTS (SELECT 1 FROM pragma_table_xinfo('frames', 'main') f WHERE f.name = t.name)
FROM pragma_table_xinfo(?1, 'main') t
WHERE t.name NOT GLOB '*[^a-z0-9_]*'
