-- title:       Reference errors
-- question:    Which references were not given back, or too often?
-- group:       Objects
-- description: What FISQL_REF, FISQL_UNREF and FISQL_GONE show to be wrong: a count of 0 or less
--              where a reference was given back, one that was taken or given back after the
--              object's end, an object that ended while it was held, and objects still held at the
--              end of the run. Each with its stack, and that of what came before it: the object's
--              end, or the last change of its count.
-- advice:      Given back too often: one of the two stacks is wrong, most often the one that lacks
--              a FISQL_REF's function on the same path. Still held: the place is that of the last
--              reference that was taken; what the program keeps until its end on purpose is no
--              error. If code without the macros changes counts, these rows are wrong.
-- source:      reference counts: Collins, CACM 1960; Emmi, Jhala, Kohler, Majumdar, Verifying Reference Counting Implementations, TACAS 2009
-- needs:       references
-- report:      errors
-- filter:      function = function
-- column:      problem | - | given back too often, ref after gone, unref after gone, gone twice, gone while held, held at the end
-- column:      times | rows | how often, from there after the same; for held ones, objects
-- column:      object | - | the first of them, its address
-- column:      count | - | the count that the program gave there; of what is held, references
-- column:      function | - | the innermost function with hooks
-- column:      location | - | where the program reported it
-- column:      ns | ns | when, since the run's start
-- column:      thread | - | in which thread
-- column:      call | id | calls.id of the innermost call then
-- column:      stack | stack | its stack, outermost first
-- column:      before | - | what came before: ref, unref, gone
-- column:      before_ns | ns | when
-- column:      before_thread | - | in which thread
-- column:      before_location | - | where
-- column:      before_stack | stack | its stack
WITH wrong AS (
       SELECT problem, id, object_id, count, before_id FROM object_references WHERE problem IS NOT NULL
       UNION ALL
       SELECT 'held at the end',
              (SELECT r.id FROM object_references r
               WHERE r.id BETWEEN o.first_ref_id AND o.last_ref_id AND r.kind = 'ref' ORDER BY r.id DESC LIMIT 1),
              o.id, o.held, NULLIF(o.first_ref_id, o.last_ref_id)
       FROM objects o WHERE o.held > 0),
     placed AS ( -- held without a reference that was told: since before the first that was given back
       SELECT w.problem, coalesce(w.id, o.first_ref_id) AS id, w.object_id, w.count, w.before_id
       FROM wrong w CROSS JOIN objects o ON o.id = w.object_id),
     grouped AS (
       SELECT p.problem, count(*) AS times, min(p.id) AS id, r.frame_id, r.site_id
       FROM placed p CROSS JOIN object_references r ON r.id = p.id
            LEFT JOIN object_references b ON b.id = p.before_id
       GROUP BY p.problem, r.frame_id, r.site_id, b.frame_id, b.site_id)
SELECT g.problem,
       g.times,
       printf('0x%x', o.address) AS object,
       p.count,
       coalesce(f.name, '(outside any traced call)') AS function,
       s.location,
       r.ns,
       t.name AS thread,
       r.call_id AS call,
       k.stack,
       b.kind AS before,
       b.ns AS before_ns,
       bt.name AS before_thread,
       bs.location AS before_location,
       bk.stack AS before_stack
FROM grouped g
     JOIN placed p ON p.id = g.id AND p.problem = g.problem
     CROSS JOIN object_references r ON r.id = p.id
     CROSS JOIN objects o ON o.id = p.object_id
     LEFT JOIN frames fr ON fr.id = r.frame_id LEFT JOIN functions f ON f.id = fr.function_id
     LEFT JOIN frame_stacks k ON k.frame_id = r.frame_id
     LEFT JOIN site_details s ON s.id = r.site_id
     LEFT JOIN threads t ON t.id = r.thread_id
     LEFT JOIN object_references b ON b.id = p.before_id
     LEFT JOIN frame_stacks bk ON bk.frame_id = b.frame_id
     LEFT JOIN site_details bs ON bs.id = b.site_id
     LEFT JOIN threads bt ON bt.id = b.thread_id
ORDER BY g.times DESC, g.problem, r.ns, r.id
