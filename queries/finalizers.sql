-- title:       Finalizers
-- question:    What runs once, after the work is done?
-- group:       Inlining and call structure
-- description: Calls made once near the end of the run, by functions that were called once there themselves:
--              what the program does after its work, the dearest first. A function that was called elsewhere,
--              too, counts with its last call alone.
-- advice:      Cleanup before an exit that frees everything anyway can often be left out in release builds;
--              what must be flushed or saved belongs here.
--              The advice does not hold for a function that a longer run would call again. A run that
--              is one long call has little before and after it: change percent.
-- source:      time of the only call of a calling context, as a share of the run
-- report:      overview
-- param:       percent = 5 | % | how near: ends within this share of the run, begins within four times that
-- param:       max_share = 50 | % | leave out calls with a larger share of its time (main), look at what they called
-- param:       min_share = 0.1 | % | leave out calls that took less, of the run's processor time
-- column:      function | - | demangled name; of compiler-made functions: static initialisation of FILE
-- column:      location | - | where it is defined
-- column:      total_ns | ns | the call with callees, waiting included, time put aside not
-- column:      cpu_ns | ns | of it on the processor
-- column:      share | % | cpu_ns of the run's processor time
-- column:      at_ns | ns | when it was entered, since the run's start
-- column:      at_percent | % | the same as a share of the run
-- column:      self_cpu_ns | ns | processor time in its own code
-- column:      mostly | stack | nine tenths of the time lie in these callees, one within the other
-- column:      caller | - | the function that called it
-- column:      call | id | calls.id
-- column:      frees | blocks | freed within it
WITH RECURSIVE
     params AS (SELECT coalesce(:percent, 5) AS percent, coalesce(:max_share, 50) AS max_share,
                       coalesce(:min_share, 0.1) AS min_share),
     run AS MATERIALIZED (SELECT min(start_ns) AS start_ns, max(end_ns) - min(start_ns) AS length_ns FROM threads),
     whole AS MATERIALIZED (SELECT sum(self_cpu_ns) AS cpu_ns FROM function_stats),
     once(frame_id, large) AS ( -- contexts of one call, as all around it are; large: the run itself, no part of it
       SELECT fr.id, 100 * fr.raw_total_ns > params.max_share * run.length_ns
                     OR 100 * fr.cpu_ns > params.max_share * whole.cpu_ns
       FROM frames fr CROSS JOIN params CROSS JOIN run CROSS JOIN whole
       WHERE fr.parent_id IS NULL AND fr.calls = 1
       UNION ALL
       SELECT fr.id, 100 * fr.raw_total_ns > params.max_share * run.length_ns
                     OR 100 * fr.cpu_ns > params.max_share * whole.cpu_ns
       FROM once CROSS JOIN params CROSS JOIN run CROSS JOIN whole JOIN frames fr ON fr.parent_id = once.frame_id
            JOIN function_stats st ON st.function_id = fr.function_id
       WHERE once.large AND fr.id > once.frame_id
         AND (fr.calls = 1 -- a recursion's calls share contexts
              OR st.recursive_calls > 0 AND 100 * fr.raw_total_ns > params.max_share * run.length_ns)),
     shown AS MATERIALIZED (
       SELECT fr.*, fr.total_ns - fr.preempted_ns AS cost_ns
       FROM once JOIN frames fr ON fr.id = once.frame_id CROSS JOIN params CROSS JOIN run CROSS JOIN whole
       WHERE NOT once.large
         AND run.start_ns + run.length_ns - fr.first_ns - fr.raw_total_ns <= params.percent * run.length_ns / 100
         AND run.start_ns + run.length_ns - fr.first_ns <= 4 * params.percent * run.length_ns / 100
         AND 100 * (fr.total_ns - fr.preempted_ns) >= params.min_share * whole.cpu_ns),
     inner(shown_id, frame_id, cost_ns, text, length) AS (
       SELECT id, id, cost_ns, '', 0 FROM shown
       UNION ALL
       SELECT inner.shown_id, fr.id, fr.total_ns - fr.preempted_ns,
              inner.text || CASE inner.text WHEN '' THEN '' ELSE ' => ' END || f.name, inner.length + 1
       FROM inner JOIN frames fr ON fr.parent_id = inner.frame_id JOIN functions f ON f.id = fr.function_id
       WHERE 10 * (fr.total_ns - fr.preempted_ns) >= 9 * inner.cost_ns AND fr.id > inner.frame_id AND inner.length < 50),
     within(shown_id, frame_id, frees) AS (
       SELECT id, id, frees FROM shown
       UNION ALL
       SELECT within.shown_id, fr.id, fr.frees
       FROM within JOIN frames fr ON fr.parent_id = within.frame_id WHERE fr.id > within.frame_id),
     freed AS MATERIALIZED (SELECT shown_id, sum(frees) AS frees FROM within GROUP BY shown_id),
     chains AS (
       SELECT shown_id, text, row_number() OVER (PARTITION BY shown_id ORDER BY length DESC, frame_id) AS place
       FROM inner)
SELECT CASE WHEN f.name GLOB '_GLOBAL__sub_I_*' OR f.name GLOB '__static_initialization_and_destruction_*'
            THEN 'static initialisation of ' || coalesce(files.name, f.module) ELSE f.name END AS function,
       f.location,
       s.cost_ns AS total_ns,
       s.cpu_ns,
       round(100.0 * s.cpu_ns / nullif(whole.cpu_ns, 0), 1) AS share,
       s.first_ns AS at_ns,
       round(100.0 * (s.first_ns - run.start_ns) / nullif(run.length_ns, 0), 1) AS at_percent,
       s.self_cpu_ns,
       nullif(chains.text, '') AS mostly,
       coalesce(c.name, '(no instrumented caller)') AS caller,
       s.slowest_call_id AS call,
       freed.frees
FROM shown s
     JOIN freed ON freed.shown_id = s.id
     JOIN function_details f ON f.id = s.function_id
     JOIN chains ON chains.shown_id = s.id AND chains.place = 1
     CROSS JOIN run CROSS JOIN whole
     LEFT JOIN files ON files.id = f.file_id
     LEFT JOIN frames p ON p.id = s.parent_id
     LEFT JOIN functions c ON c.id = p.function_id
ORDER BY s.cost_ns DESC, s.id
