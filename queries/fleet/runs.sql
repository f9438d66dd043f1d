-- title:       Runs
-- question:    Which runs are there?
-- group:       Many runs
-- description: One row for each run that was pushed, the newest first, with its labels.
-- advice:      Choose runs for the other queries by a label, -p runs=KEY=VALUE or -p runs=VALUE, or by the run
--              itself. `fisql pull` brings one back as a database.
-- source:      the facts of each recording
-- param:       runs = * | - | only these: KEY=VALUE or VALUE of a label, or a run; * = all
-- column:      run | - | its id: `fisql pull`, and -p runs=
-- column:      program | - | what ran
-- column:      labels | - | those given with --label
-- column:      host | - | where
-- column:      build | - | the program's build-id, its first 12 digits
-- column:      recorded | - | when, UTC
-- column:      calls | calls | calls of functions with hooks
-- column:      self_cpu_ns | ns | processor time in them
-- column:      allocs | blocks | allocated
-- column:      not_freed_bytes | bytes | at the end, without what the C library keeps
-- column:      called | functions | that were called
-- column:      losses | losses | what the recording lacks; 0 = it is complete
-- column:      has_calls | - | 1 = with every call (push --calls)
-- finish
WITH given AS (
       SELECT run_id, group_concat(label, ' ') AS labels
       FROM (SELECT run_id, key || '=' || value AS label FROM labels
             WHERE key NOT IN ('program', 'host', 'build', 'day', 'rank', 'ranks') ORDER BY run_id, key)
       GROUP BY run_id)
SELECT r.run, r.program, coalesce(g.labels, '') AS labels, r.host, substr(r.build, 1, 12) AS build,
       datetime(r.recorded, 'unixepoch') AS recorded, r.calls, r.self_cpu_ns, r.allocs, r.not_freed_bytes,
       r.called, r.losses, r.has_calls
FROM runs r JOIN chosen c ON c.run_id = r.run_id LEFT JOIN given g ON g.run_id = r.run_id
ORDER BY r.recorded DESC, r.run
