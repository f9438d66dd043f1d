-- title:       Incidents
-- question:    What went wrong, in which runs?
-- group:       Many runs
-- description: Signals, failed asserts, aborts, exceptions without a handler and smashed stacks, double, bad and
--              mismatched frees, exits that did not match their entries, and losses of the recording, with the number
--              of runs and the newest of them.
-- advice:      Pull the newest run and ask the query of the same name (incidents, double-frees, bad-frees,
--              mismatched-frees, anomalies), or fisql info for losses.
-- source:      the tables incidents, free_errors, block_flows, anomalies, processes and losses of each run
-- param:       runs = * | - | only these: KEY=VALUE or VALUE of a label, or a run; * = all
-- column:      kind | - | what happened
-- column:      function | - | where, empty if not known
-- column:      detail | - | the signal, the message, how it was freed, what was lost
-- column:      times | times | in all of these runs
-- column:      runs | runs | in which it did
-- column:      hosts | hosts | on which they ran
-- column:      last_run | - | the newest of them
-- gather happened: uses chosen
SELECT run_id, kind, function_id, detail, sum(times) AS times_sum
FROM incidents WHERE run_id IN (SELECT run_id FROM chosen)
GROUP BY run_id, kind, function_id, detail
-- gather named: uses happened
SELECT function_id, min(name) AS function_name
FROM names WHERE function_id IN (SELECT function_id FROM happened)
GROUP BY function_id
-- finish
WITH placed AS (
       SELECT h.*, r.run, r.host, row_number() OVER (
                PARTITION BY h.kind, h.function_id, h.detail ORDER BY r.recorded DESC, r.run) AS number
       FROM happened h JOIN runs r ON r.run_id = h.run_id)
SELECT p.kind, coalesce(n.function_name, '') AS function, p.detail, sum(p.times_sum) AS times, count(*) AS runs,
       count(DISTINCT p.host) AS hosts, max(CASE p.number WHEN 1 THEN p.run END) AS last_run
FROM placed p LEFT JOIN named n ON n.function_id = p.function_id
GROUP BY p.kind, p.function_id, p.detail
ORDER BY runs DESC, times DESC, kind, function, detail, p.function_id
