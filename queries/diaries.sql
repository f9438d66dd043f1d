-- title:       Diaries
-- question:    Who made an object as it is?
-- group:       Objects
-- description: The last moments that the program kept of its objects (FISQL_KEEP), in order, each with its state, its
--              thread and its stack. Objects come by their last moment, the newest first.
-- advice:      Read an object from the top: it went wrong between two of its moments. A mutex that
--              was locked after "destroyed" shows both threads' stacks. Choose one object by the
--              address that FISQL_TELL or a debugger printed.
-- source:      the diaries of objects in debugging aids of C++ programs; type-state: Strom, Yemini, IEEE TSE 1986
-- needs:       diaries
-- filter:      function = function
-- param:       object = NULL | - | address of the object, 0x7ffe1234; all objects by default
-- param:       moments = 8 | rows | so many of each object, the last ones
-- column:      object | - | its address
-- column:      state | - | as the program gave it; (told) where FISQL_TELL printed the diary
-- column:      function | - | the innermost function with hooks
-- column:      location | - | where the program recorded it
-- column:      ns | ns | when, since the run's start
-- column:      thread | - | in which thread
-- column:      call | id | calls.id of the innermost call then
-- column:      stack | stack | its stack, outermost first
WITH params AS (SELECT :object AS object, coalesce(:moments, 8) AS moments)
SELECT printf('0x%x', o.address) AS object,
       CASE d.kind WHEN 'tell' THEN '(told)' ELSE d.state END AS state,
       coalesce(f.name, '(outside any traced call)') AS function,
       s.location,
       d.ns,
       t.name AS thread,
       d.call_id AS call,
       k.stack
FROM params p CROSS JOIN objects o
     CROSS JOIN diaries d ON d.id BETWEEN o.last_diary_id - p.moments + 1 AND o.last_diary_id AND d.object_id = o.id
     LEFT JOIN frames fr ON fr.id = d.frame_id LEFT JOIN functions f ON f.id = fr.function_id
     LEFT JOIN frame_stacks k ON k.frame_id = d.frame_id
     LEFT JOIN site_details s ON s.id = d.site_id
     LEFT JOIN threads t ON t.id = d.thread_id
WHERE p.object IS NULL OR o.address = p.object
ORDER BY (SELECT max(n.ns) FROM diaries n WHERE n.id = o.last_diary_id) DESC, o.id, d.id
