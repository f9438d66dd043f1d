-- title:       Slow calls
-- question:    Which single calls took far longer than usual?
-- group:       Time
-- description: The slowest single calls of each function by the processor time that they took
--              beyond the function's middle call, if they took min_ratio times as much; each with
--              what took it longest and the stack that led there. After them come calls of
--              recursive functions; then functions' first calls, which prepare what the later ones
--              find, and calls that the machine slowed down: the scheduler put the thread aside
--              around them, or they are single ones in the own code of functions that use no
--              memory, as an interrupt makes them; last come calls that were slow because of slow
--              calls within them: judge those.
-- advice:      What was different then? `fisql stack ID` and `fisql trace` show what happened around it.
--              A function that is meant to do different amounts of work is slow by design.
-- source:      the 16 slowest calls of each function, kept while loading
-- needs:       calls
-- report:      overview
-- hides:       min_calls=2: their functions finished too few calls to tell what is usual
-- param:       per_function = 3 | calls | give at most so many calls of a function (up to 16)
-- param:       min_ratio = 4 | - | least ratio of a call's time to the middle call's; 0 = also functions called once
-- param:       min_calls = 8 | calls | leave out functions that finished fewer
-- param:       min_ns = 0 | ns | leave out calls that took less processor time
-- param:       fault_ns = 20000 | ns | the most that one page fault is taken to cost
-- param:       lone_ratio = 100 | - | a call is lone if its own code took so many times as long as 99 of 100 calls, or ten times so many times the usual; 0 = none is
-- param:       within = 100 | calls | look for slow ones deeper within calls that made at most so many
-- param:       stacks = 50 | rows | give the stacks for this many rows
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      cpu_ns | ns | processor time, hooks' cost taken out
-- column:      median_ns | ns a call | of the function's finished calls, the middle one
-- column:      mostly | - | what took it longest: it computed, waited, was put aside (or around that), took page faults, was disturbed (a lone one), or was the first call; else its slow calls
-- column:      duration_ns | ns | from entry to exit
-- column:      wait_ns | ns | part of that it waited
-- column:      put_aside_ns | ns | part of that the scheduler put it aside
-- column:      page_faults | faults | in it, where it took so long between two calls that the clock was read
-- column:      enter_ns | ns | when it was entered, since the run's start
-- column:      thread | - | name of its thread
-- column:      call | id | calls.id
-- column:      raw_duration_ns | ns | as measured
-- column:      stack | stack | its callers, outermost first
WITH RECURSIVE
     params AS (SELECT coalesce(:per_function, 3) AS per_function, coalesce(:min_ratio, 4) AS min_ratio,
                       coalesce(:min_calls, 8) AS min_calls, coalesce(:min_ns, 0) AS min_ns,
                       coalesce(:fault_ns, 20000) AS fault_ns,
                       coalesce(:lone_ratio, 100) AS lone_ratio, coalesce(:within, 100) AS within,
                       coalesce(:stacks, 50) AS stacks),
     callees AS MATERIALIZED ( -- of calls, those that are slow ones of their function, and slow for it
       SELECT c.parent_id AS call_id, sum(s.cpu_ns) AS cpu_ns, sum(s.duration_ns) AS duration_ns,
              max(s.cpu_ns) AS most_cpu_ns, max(s.duration_ns) AS most_duration_ns
       FROM slow_calls s JOIN function_stats f ON f.function_id = s.function_id CROSS JOIN params
            CROSS JOIN calls c ON c.id = s.call_id
       WHERE params.min_ratio = 0
             OR f.finished >= params.min_calls AND s.cpu_ns >= params.min_ratio * f.median_ns
       GROUP BY c.parent_id),
     candidates AS MATERIALIZED (
       SELECT s.*, f.median_ns, f.recursive_calls > 0 AS recursive,
              s.call_id IS f.first_call_id AS first, c.descendants, c.self_ns,
              -- own code that takes longer than this is a lone call's
              CASE WHEN params.lone_ratio > 0 AND f.finished >= 100 AND f.allocs + f.frees = 0
                THEN params.lone_ratio * min(f.p99_ns, 10.0 * f.self_cpu_ns / f.calls) END AS lone_ns,
              c.enter_ns, c.thread_id,
              callees.cpu_ns AS callee_cpu_ns, callees.duration_ns AS callee_duration_ns,
              callees.most_cpu_ns, callees.most_duration_ns,
              max(0, s.cpu_ns - coalesce(f.median_ns, 0)) AS more_ns
       FROM slow_calls s JOIN function_stats f ON f.function_id = s.function_id CROSS JOIN params
            LEFT JOIN calls c ON c.id = s.call_id LEFT JOIN callees ON callees.call_id = s.call_id
       WHERE s.rank <= params.per_function AND s.cpu_ns >= params.min_ns
         AND (params.min_ratio = 0
              OR f.finished >= params.min_calls AND s.cpu_ns > 0 AND s.cpu_ns >= params.min_ratio * f.median_ns)),
     -- of each gap within: its time on the processor, where there was a switch against its will or
     -- where there were page faults
     disturbed AS MATERIALIZED (
       SELECT c.*, total(CASE WHEN g.preemptions > 0 THEN g.wall_ns - g.wait_ns - g.preempted_ns END) AS around_ns,
              total(CASE WHEN g.major_faults > 0 THEN g.wait_ns END) AS read_ns,
              c.self_ns - total(CASE WHEN g.call_id = c.call_id AND NOT g.paused THEN g.wait_ns + g.preempted_ns END) AS own_ns,
              total(min(g.wall_ns - g.wait_ns - g.preempted_ns,
                        (g.minor_faults + coalesce(g.major_faults, 0)) * params.fault_ns)) AS fault_ns,
              coalesce(sum(coalesce(g.minor_faults, 0) + coalesce(g.major_faults, 0)), 0) AS page_faults
       FROM candidates c CROSS JOIN params
            LEFT JOIN gaps g ON g.call_id BETWEEN c.call_id AND c.call_id + c.descendants
       GROUP BY c.function_id, c.rank),
     -- of calls that made few, those of which calls deeper within, slow for their functions, took half of the time
     within AS MATERIALIZED (
       SELECT d.call_id
       FROM disturbed d CROSS JOIN params
            CROSS JOIN calls c ON c.id BETWEEN d.call_id + 1 AND d.call_id + d.descendants
            JOIN frames fr ON fr.id = c.frame_id JOIN function_stats f ON f.function_id = fr.function_id
       WHERE d.descendants <= params.within AND params.min_ratio > 0 AND 10 * c.self_ns >= d.cpu_ns
         AND f.finished > 1 AND c.self_ns >= params.min_ratio * f.median_ns
       GROUP BY d.call_id
       HAVING 2 * sum(c.self_ns - (SELECT total(wait_ns + preempted_ns) FROM gaps WHERE call_id = c.id
                                     AND NOT paused)) >= d.cpu_ns),
     named AS MATERIALIZED (
       SELECT d.*,
              CASE WHEN d.preempted_ns > max(d.cpu_ns, d.wait_ns) THEN 'put aside'
                   WHEN d.cpu_ns >= d.wait_ns AND 2 * d.fault_ns >= d.cpu_ns THEN 'page faults'
                   WHEN d.cpu_ns >= d.wait_ns AND 2 * d.around_ns >= d.cpu_ns THEN 'put aside'
                   WHEN d.cpu_ns >= d.wait_ns AND d.own_ns >= d.lone_ns
                     AND 2 * d.own_ns >= d.raw_duration_ns - d.wait_ns - d.preempted_ns THEN 'disturbed'
                   WHEN d.cpu_ns >= d.wait_ns THEN 'computed'
                   WHEN 2 * d.read_ns >= d.wait_ns THEN 'page faults'
                   ELSE 'waited' END AS mostly,
              -- slow by those that it made: few of them (one holds a quarter) took most of its time, or
              -- without them it would be as usual
              coalesce(CASE WHEN d.cpu_ns < max(d.wait_ns, d.preempted_ns)
                              THEN 4 * d.most_duration_ns >= d.duration_ns AND 2 * d.callee_duration_ns >= d.duration_ns
                            ELSE 4 * d.most_cpu_ns >= d.cpu_ns
                              AND (2 * d.callee_cpu_ns >= d.cpu_ns
                                   OR d.cpu_ns - d.callee_cpu_ns < params.min_ratio * d.median_ns)
                              OR w.call_id IS NOT NULL END, 0) AS by_callee
       FROM disturbed d CROSS JOIN params LEFT JOIN within w ON w.call_id = d.call_id),
     chosen AS MATERIALIZED (
       SELECT n.*,
              row_number() OVER (ORDER BY n.by_callee, n.first OR n.mostly IN ('put aside', 'disturbed'), n.recursive,
                                 n.more_ns DESC, n.cpu_ns DESC, n.call_id) AS place
       FROM named n),
     walk(call_id, frame_id, text) AS (
       SELECT c.id, fr.parent_id, f.name
       FROM chosen CROSS JOIN params CROSS JOIN calls c ON c.id = chosen.call_id
            JOIN frames fr ON fr.id = c.frame_id JOIN functions f ON f.id = fr.function_id
       WHERE chosen.place <= params.stacks
       UNION ALL
       SELECT w.call_id, fr.parent_id, f.name || ' => ' || w.text
       FROM walk w JOIN frames fr ON fr.id = w.frame_id JOIN functions f ON f.id = fr.function_id
       WHERE coalesce(fr.parent_id, 0) < fr.id),
     stacks AS MATERIALIZED (SELECT call_id, text FROM walk WHERE frame_id IS NULL)
SELECT f.name AS function,
       f.location,
       chosen.cpu_ns,
       chosen.median_ns,
       CASE WHEN chosen.by_callee THEN 'its slow calls' WHEN chosen.first THEN 'the first call' ELSE chosen.mostly END AS mostly,
       chosen.duration_ns,
       chosen.wait_ns,
       chosen.preempted_ns AS put_aside_ns,
       chosen.page_faults,
       chosen.enter_ns,
       t.name AS thread,
       chosen.call_id AS call,
       chosen.raw_duration_ns,
       (SELECT text FROM stacks WHERE call_id = chosen.call_id) AS stack
FROM chosen
     JOIN function_details f ON f.id = chosen.function_id
     LEFT JOIN threads t ON t.id = chosen.thread_id
ORDER BY chosen.place
