-- title:       Crashes under faults
-- question:    Where does it crash or hang when a call fails?
-- group:       Faults
-- description: The places where experiments of `fisql faults` crashed, hung or freed a block wrongly, with the
--              failing calls that led there: equal stacks are one row.
-- advice:      Many failing calls that lead to one place are mostly one mistake, in what that place takes for
--              granted. locations names the calls that failed: the check is missing there or on the way.
-- source:      as fault-outcomes; folding by the stack as crash reports are
-- report:      none
-- needs:       experiments
-- column:      outcome | - | crash, hang or bad free
-- column:      signal | - | signal that ended it
-- column:      found_at | stack | stack at the end
-- column:      found_location | - | FILE:LINE of its innermost function, of a wrong free that of the call
-- column:      runs | - | experiments that ended there
-- column:      targets | - | the calls that failed in them
-- column:      locations | - | where these calls are, 8 at most
-- column:      experiment | id | experiments.id of the first one
WITH crashes AS (
       SELECT e.id, e.outcome, e.signal, e.found_at, e.target, s.location,
              dense_rank() OVER (PARTITION BY e.outcome, e.signal, e.found_at ORDER BY s.location) AS place
       FROM experiments e LEFT JOIN site_details s ON s.id = e.site_id
       WHERE e.outcome IN ('crash', 'hang', 'bad free')),
     folded AS (
       SELECT outcome, signal, found_at, count(*) AS runs, min(id) AS id, group_concat(DISTINCT target) AS targets
       FROM crashes GROUP BY outcome, signal, found_at)
SELECT g.outcome,
       g.signal,
       g.found_at,
       e.found_location,
       g.runs,
       g.targets,
       (SELECT group_concat(location, ', ')
        FROM (SELECT DISTINCT c.location FROM crashes c
              WHERE c.outcome = g.outcome AND c.signal IS g.signal AND c.found_at IS g.found_at AND c.place <= 8
              ORDER BY c.location)) AS locations,
       g.id AS experiment
FROM folded g
     JOIN experiments e ON e.id = g.id
ORDER BY g.runs DESC, g.id
