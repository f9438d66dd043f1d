-- title:       Calling context tree
-- question:    What led to what, and what did each path cost?
-- group:       Time
-- description: Each function under the one that called it, with the processor time that its calls in this
--              context took. Recursion is folded.
-- advice:      Follow the largest total down until it splits up: begin there. `fisql tree`
--              shows the same in the terminal, from any function on.
-- source:      calling context tree: Ammons, Ball & Larus 1997
-- report:      none
-- param:       by = 'cpu' | cpu/wall/wait | order and share by processor time, all time, or waiting
-- param:       min_percent = 1 | % | leave out contexts with a smaller share of the run
-- param:       max_depth = 64 | - | leave out deeper contexts
-- column:      tree | function | the function, indented by its depth
-- column:      cpu_ns | ns | processor time with callees, hooks' cost taken out
-- column:      share | % | of the whole run's
-- column:      self_cpu_ns | ns | processor time in its own code
-- column:      wait_ns | ns | time waited, with callees
-- column:      total_ns | ns | all time with callees
-- column:      calls | calls | calls in this context
-- column:      called_from | - | file and line of the call; (inlined): not known, because the compiler inlined the function
-- column:      function | - | demangled name
-- column:      slowest_call | id | calls.id of the slowest call
-- column:      frame | id | frames.id
WITH RECURSIVE
     params AS (SELECT coalesce(:min_percent, 1) AS min_percent, coalesce(:max_depth, 64) AS max_depth,
                       coalesce(:by, 'cpu') AS by),
     roots AS MATERIALIZED (
       SELECT fr.id, fr.depth,
              CASE params.by WHEN 'wall' THEN fr.total_ns WHEN 'wait' THEN fr.wait_ns ELSE fr.cpu_ns END AS weight
       FROM frames fr CROSS JOIN params WHERE fr.parent_id IS NULL),
     whole AS MATERIALIZED (
       SELECT sum(roots.weight) AS weight, params.by, params.max_depth, params.min_percent * sum(roots.weight) AS needed
       FROM params LEFT JOIN roots),
     -- From the roots down, as far as there is enough. The deepest first, so each context comes right behind its caller's
     -- or behind all that a heavier one of the same caller led to.
     heavy(id, level, weight) AS (
       SELECT roots.id, 0, roots.weight
       FROM whole CROSS JOIN roots WHERE roots.depth <= whole.max_depth AND 100 * roots.weight >= whole.needed
       UNION ALL
       SELECT fr.id, heavy.level + 1,
              CASE whole.by WHEN 'wall' THEN fr.total_ns WHEN 'wait' THEN fr.wait_ns ELSE fr.cpu_ns END AS child_weight
       FROM heavy CROSS JOIN whole CROSS JOIN frames fr ON fr.parent_id = heavy.id
       WHERE fr.id > heavy.id AND fr.depth <= whole.max_depth AND 100 * child_weight >= whole.needed
       ORDER BY 2 DESC, 3 DESC, 1),
     tree AS MATERIALIZED (SELECT id, weight, row_number() OVER () AS place FROM heavy)
SELECT printf('%*s%s', 2 * max(0, fr.depth), '', f.name) AS tree,
       fr.cpu_ns,
       round(100.0 * tree.weight / nullif(whole.weight, 0), 1) AS share,
       fr.self_cpu_ns,
       fr.wait_ns,
       fr.total_ns,
       fr.calls,
       -- the hooks of a body that was inlined tell the call site of the function it lies in
       CASE WHEN around.site_id = fr.site_id AND around.function_id <> fr.function_id THEN '(inlined)'
            ELSE (SELECT s.location FROM site_details s WHERE s.id = fr.site_id) END AS called_from,
       f.name AS function,
       fr.slowest_call_id AS slowest_call,
       fr.id AS frame
FROM tree
     CROSS JOIN whole
     CROSS JOIN frames fr ON fr.id = tree.id
     JOIN functions f ON f.id = fr.function_id
     LEFT JOIN frames around ON around.id = fr.parent_id
ORDER BY tree.place
