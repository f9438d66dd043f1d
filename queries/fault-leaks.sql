-- title:       Leaks under faults
-- question:    Which blocks are forgotten when a call fails?
-- group:       Faults
-- description: Blocks that experiments of `fisql faults` leave behind and a run without faults does
--              not, by the place of their allocation, with the failing calls on whose error paths
--              they are forgotten.
-- advice:      Between the allocation and the failing call a function returned without freeing. A
--              program that ends by exit() is left out: what open calls hold is no leak then, and
--              leaked_bytes is NULL.
-- source:      as fault-outcomes; leaks as not-freed has them
-- report:      none
-- needs:       experiments
-- column:      leaked_bytes | bytes | the most that one experiment left behind
-- column:      found_at | stack | stack of the allocation; of several that of most bytes
-- column:      found_location | - | FILE:LINE of it
-- column:      outcome | - | leak; or what was worse than that
-- column:      runs | - | experiments that left these
-- column:      target | - | the call that failed in the first one
-- column:      location | - | where it is
-- column:      stack | stack | what made it
-- column:      experiment | id | experiments.id of the first one
WITH leaks AS (
       SELECT found_at, outcome, max(leaked_bytes) AS leaked_bytes, count(*) AS runs, min(id) AS id
       FROM experiments WHERE leaked_bytes > 0 GROUP BY found_at, outcome)
SELECT l.leaked_bytes,
       l.found_at,
       e.found_location,
       l.outcome,
       l.runs,
       e.target,
       s.location,
       k.stack,
       l.id AS experiment
FROM leaks l
     JOIN experiments e ON e.id = l.id
     LEFT JOIN frame_stacks k ON k.frame_id = e.frame_id
     LEFT JOIN site_details s ON s.id = e.site_id
ORDER BY l.leaked_bytes DESC, l.id
