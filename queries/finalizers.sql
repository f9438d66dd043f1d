-- title:       Finalizers
-- question:    Which functions run once, after all others?
-- group:       Inlining and call structure
-- description: Functions that were called once, near the end of the run.
-- advice:      Cleanup before an exit that frees everything anyway can often be left out in release builds;
--              what must be flushed or saved belongs here.
--              The advice does not hold for a function that a longer run would call again. A run that
--              is one long call has little before and after it: change percent.
-- source:      time of the only call, as a share of the run
-- report:      overview
-- param:       percent = 5 | % | how near: within this share of the run
-- param:       max_share = 50 | % | leave out functions whose call took a larger share (main)
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      at_ns | ns | when it was entered, since the run's start
-- column:      at_percent | % | the same as a share of the run
-- column:      total_ns | ns | its time with callees
-- column:      self_ns | ns | its own time
-- column:      caller | - | who called it
-- column:      call | id | calls.id
WITH params AS (SELECT coalesce(:percent, 5) AS percent, coalesce(:max_share, 50) AS max_share),
     run AS (SELECT min(start_ns) AS start_ns, max(end_ns) - min(start_ns) AS length_ns FROM threads)
SELECT f.name AS function,
       f.location,
       s.first_enter_ns AS at_ns,
       round(100.0 * (s.first_enter_ns - run.start_ns) / nullif(run.length_ns, 0), 2) AS at_percent,
       s.total_ns,
       s.self_ns,
       coalesce((SELECT c.name FROM edges e JOIN functions c ON c.id = e.caller_id
                 WHERE e.callee_id = s.function_id), '(no instrumented caller)') AS caller,
       s.first_call_id AS call
FROM function_stats s
     JOIN function_details f ON f.id = s.function_id
     CROSS JOIN params CROSS JOIN run
WHERE s.calls = 1 AND s.first_call_id IS NOT NULL
  AND run.start_ns + run.length_ns - s.first_enter_ns <= params.percent * run.length_ns / 100
  AND 100 * s.raw_total_ns <= params.max_share * run.length_ns
ORDER BY s.first_enter_ns DESC, s.function_id
