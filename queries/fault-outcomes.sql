-- title:       Fault outcomes
-- question:    What went wrong where one call failed?
-- group:       Faults
-- description: The outcomes of the experiments of `fisql faults`, worst first: crashes, wrong
--              frees, hangs, success with other output, leaks. Experiments that went wrong in the
--              same way at the same place are one row.
-- advice:      found_at is where it went wrong; stack is the call that failed in the experiment,
--              the first of those in the row. `fisql load` of its log, then `fisql trace` with
--              --since, shows what happened in between; `fisql faults --again` runs it once more,
--              --gdb under gdb. A program that calls abort() when memory is short crashes on
--              purpose. all=1 adds what went well and what was not reached.
-- source:      fault injection at each calling context: Marinescu & Candea, LFI, DSN 2009; SQLite's tests of
--              malloc and input/output (How SQLite Is Tested, 3.1 and 3.2)
-- report:      errors
-- needs:       experiments
-- param:       all = 0 | 0 or 1 | 1 = outcomes that are no mistake, too
-- column:      outcome | - | crash, bad free, hang, wrong output, leak or other status
-- column:      runs | - | experiments that went wrong so
-- column:      targets | - | the calls that failed in them
-- column:      found_at | stack | stack of the crash, the wrong free, the hang or the leak's allocation
-- column:      found_location | - | FILE:LINE of it: of a crash and a hang that of the function
-- column:      detail | - | which output differs, the kind of wrong free
-- column:      signal | - | signal that ended it
-- column:      status | - | its exit status
-- column:      leaked_bytes | bytes | not freed, beyond what a run without faults leaves
-- column:      experiment | id | experiments.id of the first one
-- column:      target | - | the call that failed in that
-- column:      location | - | where that call is
-- column:      stack | stack | what made it
-- column:      log | - | its log, for `fisql load`
WITH params AS (SELECT coalesce(:all, 0) AS all_outcomes),
     ranks(outcome, rank) AS (
       VALUES ('crash', 1), ('bad free', 2), ('hang', 3), ('wrong output', 4), ('leak', 5), ('other status', 6),
              ('not reached', 7), ('clean error', 8), ('unchanged', 9)),
     folded AS (
       SELECT r.rank, e.outcome, e.found_at, e.signal, min(e.id) AS id, count(*) AS runs,
              max(e.leaked_bytes) AS leaked_bytes, group_concat(DISTINCT e.target) AS targets
       FROM experiments e JOIN ranks r ON r.outcome = e.outcome CROSS JOIN params
       WHERE r.rank <= 6 OR params.all_outcomes
       GROUP BY r.rank, e.outcome, e.found_at, e.signal,
                CASE WHEN e.found_at IS NULL AND r.rank <= 6 THEN e.target || ' ' || e.frame_id || ' ' || e.site_id END)
SELECT g.outcome,
       g.runs,
       g.targets,
       g.found_at,
       e.found_location,
       e.detail,
       g.signal,
       e.status,
       g.leaked_bytes,
       g.id AS experiment,
       e.target,
       s.location,
       k.stack,
       e.log
FROM folded g
     JOIN experiments e ON e.id = g.id
     LEFT JOIN frame_stacks k ON k.frame_id = e.frame_id
     LEFT JOIN site_details s ON s.id = e.site_id
ORDER BY g.rank, g.runs DESC, g.id
