-- title:       Anomalies
-- question:    What happened that should not in a sound program?
-- group:       Trust
-- description: Exits that did not match their entry, calls that were unwound by longjmp or an exception,
--              calls that never ended, and memory events that contradict one another.
-- advice:      A mismatched exit without longjmp, coroutines or assembly around it may be a smashed
--              stack: look at the last calls before it. Unwound calls are normal with exceptions,
--              so are open ones if the program called exit() or _exit(): normal=1 shows these, too.
-- source:      the collector's shadow stack against the exits that came
-- needs:       calls
-- report:      errors
-- filter:      function = function
-- param:       normal = 0 | 0, 1 | 1: also unwound calls, and calls open when the program exited
-- column:      kind | - | mismatched-exit, unwound, open, or another
-- column:      function | - | whose exit it was; the outermost call unwound; whose calls stayed open
-- column:      location | - | where it is defined
-- column:      times | times | it happened
-- column:      calls | calls | ended by it, or left open
-- column:      first_ns | ns | the first time
-- column:      thread | - | in which thread that was
-- column:      call | id | calls.id of the innermost call open then
-- column:      detail | - | more of the first one
-- column:      stack | stack | its stack, outermost first: the history that led there
WITH RECURSIVE
     grouped AS (
       SELECT kind, function_id, count(*) AS times, sum(calls) AS calls, min(id) AS first_id
       FROM anomalies GROUP BY kind, function_id),
     all_kinds AS MATERIALIZED (
       SELECT CASE g.kind WHEN 'unwound' THEN 1 ELSE 0 END AS weight, g.kind, g.function_id, g.times, g.calls,
              a.ns, a.thread_id, a.call_id, a.detail
       FROM grouped g JOIN anomalies a ON a.id = g.first_id
       UNION ALL
       SELECT 2, 'open', s.function_id, s.open, s.open, s.last_enter_ns, NULL, s.last_call_id, NULL
       FROM function_stats s WHERE s.open > 0),
     listed AS MATERIALIZED (
       SELECT * FROM all_kinds
       WHERE weight = 0 OR coalesce(:normal, 0) <> 0
          OR weight = 2 AND EXISTS (SELECT 1 FROM processes p
                                    WHERE coalesce(p.how_ended, '') NOT IN ('exit', '_exit'))),
     walk(call_id, frame_id, text) AS (
       SELECT c.id, fr.parent_id, f.name
       FROM (SELECT DISTINCT call_id FROM listed) AS k CROSS JOIN calls c ON c.id = k.call_id
            JOIN frames fr ON fr.id = c.frame_id JOIN functions f ON f.id = fr.function_id
       UNION ALL
       SELECT w.call_id, fr.parent_id, f.name || ' => ' || w.text
       FROM walk w JOIN frames fr ON fr.id = w.frame_id JOIN functions f ON f.id = fr.function_id
       WHERE coalesce(fr.parent_id, 0) < fr.id)
SELECT k.kind,
       f.name AS function,
       f.location,
       k.times,
       k.calls,
       k.ns AS first_ns,
       t.name AS thread,
       k.call_id AS call,
       k.detail,
       (SELECT text FROM walk WHERE call_id = k.call_id AND frame_id IS NULL) AS stack
FROM listed k
     LEFT JOIN function_details f ON f.id = k.function_id
     LEFT JOIN calls c ON c.id = k.call_id
     LEFT JOIN threads t ON t.id = coalesce(k.thread_id, c.thread_id)
ORDER BY k.weight, k.kind, k.times DESC, k.ns, k.function_id
