-- The statements of ending.c.

-- statement: innermost
-- A call that is open at its thread's end is the last call that was entered or one around it. The thread
-- that had the last event is the likeliest.
WITH RECURSIVE up(thread_id, event_ns, id, ended, parent_id, frame_id) AS (
       SELECT t.id, c.enter_ns + CASE c.ended WHEN 2 THEN 0 ELSE c.duration_ns END, c.id, c.ended, c.parent_id,
              c.frame_id
       FROM threads t CROSS JOIN calls c ON c.id = t.last_call_id
       WHERE t.process_id = ?1
       UNION ALL
       SELECT u.thread_id, c.enter_ns + CASE c.ended WHEN 2 THEN 0 ELSE c.duration_ns END, c.id, c.ended,
              c.parent_id, c.frame_id
       FROM up u CROSS JOIN calls c ON c.id = u.parent_id
       WHERE u.ended <> 2 AND u.parent_id < u.id),
     last AS (SELECT thread_id, max(event_ns) AS ns FROM up GROUP BY thread_id),
     open AS (SELECT thread_id, id, frame_id FROM up WHERE ended = 2)
SELECT f.name, f.location, (SELECT count(*) FROM open), open.id
FROM open
     JOIN last ON last.thread_id = open.thread_id
     JOIN frames fr ON fr.id = open.frame_id
     JOIN function_details f ON f.id = fr.function_id
ORDER BY last.ns DESC, open.thread_id
LIMIT 1
