-- title:       Deep stacks
-- question:    What were the deepest stacks?
-- group:       Inlining and call structure
-- description: The deepest stacks, each by the function at its top, and the calls that led there. A
--              stack that shares its first half with a deeper one is left out.
-- advice:      Compare the depth with the size of the threads' stacks (8 MB for main, what
--              pthread_attr_setstacksize gave others). Layers that only pass calls on make stacks
--              deeper than they need to be: see proxies. Recursion is folded in the stack shown:
--              see recursion.
-- source:      number of calls open in the thread
-- needs:       calls
-- report:      overview
-- param:       rows = 20 | rows | show so many stacks
-- param:       considered = 1000 | functions | of so many functions, those called at the deepest
-- column:      depth | calls | open around the call, itself included
-- column:      function | - | at the top of the stack
-- column:      location | - | where it is defined
-- column:      call | id | calls.id of it
-- column:      thread | - | name of its thread
-- column:      enter_ns | ns | when it was entered
-- column:      inlined | calls | of the stack shown: inlined by the compiler, so without a frame of their own
-- column:      stack | stack | the calls that led there, outermost first, recursion folded
WITH RECURSIVE
     params AS (SELECT coalesce(:rows, 20) AS rows, coalesce(:considered, 1000) AS considered),
     deepest AS MATERIALIZED (
       SELECT s.function_id, s.depth_max + 1 AS depth, s.deepest_call_id AS call_id, c.thread_id,
              c.enter_ns, c.frame_id,
              row_number() OVER (ORDER BY s.depth_max DESC, s.deepest_call_id) AS place
       FROM function_stats s CROSS JOIN calls c ON c.id = s.deepest_call_id
       WHERE c.descendants = 0),
     up(place, frame_id, parent_id, depth, halfway) AS (
       SELECT d.place, fr.id, fr.parent_id, fr.depth, fr.depth / 2
       FROM deepest d CROSS JOIN params JOIN frames fr ON fr.id = d.frame_id WHERE d.place <= params.considered
       UNION ALL
       SELECT up.place, fr.id, fr.parent_id, fr.depth, up.halfway
       FROM up JOIN frames fr ON fr.id = up.parent_id WHERE fr.id < up.frame_id),
     first_on AS MATERIALIZED (SELECT frame_id, min(place) AS place FROM up GROUP BY frame_id),
     tops AS MATERIALIZED ( -- no deeper stack has its first half
       SELECT d.*, row_number() OVER (ORDER BY d.place) AS row
       FROM deepest d JOIN up ON up.place = d.place AND up.depth = up.halfway
            JOIN first_on f ON f.frame_id = up.frame_id AND f.place = d.place),
     walk(call_id, frame_id, site_id, text, inlined) AS (
       SELECT tops.call_id, fr.parent_id, fr.site_id, f.name, 0
       FROM tops CROSS JOIN params JOIN frames fr ON fr.id = tops.frame_id
            JOIN functions f ON f.id = fr.function_id
       WHERE tops.row <= params.rows
       UNION ALL
       SELECT w.call_id, fr.parent_id, fr.site_id, f.name || ' => ' || w.text, w.inlined + (fr.site_id IS w.site_id)
       FROM walk w JOIN frames fr ON fr.id = w.frame_id JOIN functions f ON f.id = fr.function_id
       WHERE coalesce(fr.parent_id, 0) < fr.id)
SELECT tops.depth,
       f.name AS function,
       f.location,
       tops.call_id AS call,
       t.name AS thread,
       tops.enter_ns,
       (SELECT inlined FROM walk WHERE call_id = tops.call_id AND frame_id IS NULL) AS inlined,
       (SELECT text FROM walk WHERE call_id = tops.call_id AND frame_id IS NULL) AS stack
FROM tops
     JOIN function_details f ON f.id = tops.function_id
     JOIN threads t ON t.id = tops.thread_id
     CROSS JOIN params
WHERE tops.row <= params.rows
ORDER BY tops.row
