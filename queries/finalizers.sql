-- title:       Finalizers
-- question:    What runs once, after the work is done?
-- group:       Inlining and call structure
-- description: What a run, or the life of a thread, calls once after the bulk of its work: what main calls
--              after its loop, what a thread does after its own, static objects' destructors and what
--              atexit() has; the dearest first, then what alone frees the objects of a function. The bulk is what is called many times, or the one call
--              that takes half of the time and more (schema: context_roles).
-- advice:      Cleanup before an exit that frees everything anyway can often be left out in release builds;
--              what must be flushed or saved belongs here.
--              The advice does not hold for a function that a longer run would call again, and for a
--              program that does one thing after the other, none of it often.
-- source:      calls of a context against those of its caller, and their order in time
-- hides:       heavy=1: they take more than a fifth of the run, and may be its work
-- report:      overview
-- param:       min_share = 0.1 | % | leave out calls that took less, of the run's processor time
-- param:       heavy = 0 | 0 or 1 | 1 = also what takes more than a fifth of the run, unless it only frees
-- column:      function | - | demangled name; of compiler-made functions: static initialisation of FILE
-- column:      location | - | where it is defined
-- column:      life | - | of what: run, thread or object
-- column:      calls | calls | of it; for each life one, or a few
-- column:      total_ns | ns | they with callees, waiting included, time put aside not
-- column:      cpu_ns | ns | of it on the processor
-- column:      share | % | cpu_ns of the run's processor time
-- column:      at_ns | ns | when it was first entered, since the run's start
-- column:      at_percent | % | the same as a share of the run
-- column:      self_cpu_ns | ns | processor time in its own code
-- column:      mostly | stack | nine tenths of the time lie in these callees, one within the other
-- column:      caller | - | the function that called it; of objects, any
-- column:      call | id | calls.id
-- column:      frees | blocks | freed within it
-- column:      allocs | blocks | allocated within it
WITH RECURSIVE
     params AS (SELECT coalesce(:min_share, 0.1) AS min_share, coalesce(:heavy, 0) AS heavy),
     run AS MATERIALIZED (SELECT min(start_ns) AS start_ns, max(end_ns) - min(start_ns) AS length_ns FROM threads),
     whole AS MATERIALIZED (SELECT sum(self_cpu_ns) AS cpu_ns FROM function_stats),
     roles AS MATERIALIZED (SELECT * FROM context_roles),
     final AS MATERIALIZED ( -- what runs before and after the work has neither role
       SELECT frame_id, life, heavy FROM roles r
       WHERE role = 'finalizer' AND NOT EXISTS (SELECT 1 FROM roles o WHERE o.function_id = r.function_id AND o.role <> r.role)),
     within(shown_id, frame_id, allocs, frees) AS (
       SELECT fr.id, fr.id, fr.allocs, fr.frees FROM final JOIN frames fr ON fr.id = final.frame_id
       UNION ALL
       SELECT within.shown_id, fr.id, fr.allocs, fr.frees
       FROM within JOIN frames fr ON fr.parent_id = within.frame_id WHERE fr.id > within.frame_id),
     freed AS MATERIALIZED (SELECT shown_id, sum(frees) AS frees, sum(allocs) AS allocs FROM within GROUP BY shown_id),
     shown AS MATERIALIZED (
       SELECT fr.id, fr.parent_id, fr.function_id, r.life, fr.calls, fr.total_ns - fr.preempted_ns AS cost_ns, fr.cpu_ns,
              fr.first_ns, fr.self_cpu_ns, fr.slowest_call_id, freed.frees, freed.allocs
       FROM final r JOIN freed ON freed.shown_id = r.frame_id JOIN frames fr ON fr.id = r.frame_id
            CROSS JOIN params CROSS JOIN whole
       WHERE (params.heavy OR NOT r.heavy OR freed.frees > 0 AND freed.allocs = 0)
         AND 100 * (fr.total_ns - fr.preempted_ns) >= params.min_share * whole.cpu_ns
       UNION ALL -- of objects
       SELECT -s.function_id, NULL, s.function_id, 'object', s.calls, s.total_ns - s.preempted_ns, s.cpu_ns, s.first_enter_ns,
              s.self_cpu_ns, s.slowest_call_id, s.total_frees, s.total_allocs
       FROM (SELECT DISTINCT function_id FROM object_roles WHERE role = 'finalizer') r
            JOIN function_stats s ON s.function_id = r.function_id CROSS JOIN params CROSS JOIN whole
       WHERE 100 * s.cpu_ns >= params.min_share * whole.cpu_ns),
     inner(shown_id, frame_id, cost_ns, text, length) AS (
       SELECT id, id, cost_ns, '', 0 FROM shown WHERE id > 0
       UNION ALL
       SELECT inner.shown_id, fr.id, fr.total_ns - fr.preempted_ns,
              inner.text || CASE inner.text WHEN '' THEN '' ELSE ' => ' END || f.name, inner.length + 1
       FROM inner JOIN frames fr ON fr.parent_id = inner.frame_id JOIN functions f ON f.id = fr.function_id
       WHERE 10 * (fr.total_ns - fr.preempted_ns) >= 9 * inner.cost_ns AND fr.id > inner.frame_id AND inner.length < 50),
     chains AS (
       SELECT shown_id, text, row_number() OVER (PARTITION BY shown_id ORDER BY length DESC, frame_id) AS place
       FROM inner)
SELECT CASE WHEN f.name GLOB '_GLOBAL__sub_I_*' OR f.name GLOB '__static_initialization_and_destruction_*'
            THEN 'static initialisation of ' || coalesce(files.name, f.library) ELSE f.name END AS function,
       f.location,
       s.life,
       s.calls,
       s.cost_ns AS total_ns,
       s.cpu_ns,
       round(100.0 * s.cpu_ns / nullif(whole.cpu_ns, 0), 1) AS share,
       s.first_ns AS at_ns,
       round(100.0 * (s.first_ns - run.start_ns) / nullif(run.length_ns, 0), 1) AS at_percent,
       s.self_cpu_ns,
       nullif(chains.text, '') AS mostly,
       CASE WHEN s.life <> 'object' THEN coalesce(c.name, '(no instrumented caller)') END AS caller,
       s.slowest_call_id AS call,
       s.frees,
       s.allocs
FROM shown s
     JOIN function_details f ON f.id = s.function_id
     LEFT JOIN chains ON chains.shown_id = s.id AND chains.place = 1
     CROSS JOIN run CROSS JOIN whole
     LEFT JOIN files ON files.id = f.file_id
     LEFT JOIN frames p ON p.id = s.parent_id
     LEFT JOIN functions c ON c.id = p.function_id
ORDER BY s.life = 'object', s.cost_ns DESC, s.id
