-- title:       Slow calls
-- question:    Which single calls took far longer than usual?
-- group:       Time
-- description: The slowest single calls of each function by the processor time that they took beyond the
--              function's middle call, whether each computed, waited or was put aside, and the stack that
--              led there. Functions called once, and recursive ones, come behind; last come calls that were
--              slow by one that they made.
-- advice:      What was different then? `fisql stack ID` and `fisql trace` show what happened around it.
--              A function that is meant to do different amounts of work is slow by design.
-- source:      the 16 slowest calls of each function, kept while loading
-- report:      overview
-- param:       per_function = 3 | calls | give at most so many calls of a function (up to 16)
-- param:       min_ns = 0 | ns | leave out calls that took less processor time
-- param:       stacks = 50 | rows | give the stacks for this many rows
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      cpu_ns | ns | processor time, hooks' cost taken out
-- column:      median_ns | ns a call | of the function's finished calls, the middle one
-- column:      mostly | - | what took it longest: it computed, waited, was put aside, or waited for page faults
-- column:      duration_ns | ns | from entry to exit
-- column:      wait_ns | ns | part of that it waited
-- column:      put_aside_ns | ns | part of that the scheduler put it aside
-- column:      enter_ns | ns | when it was entered, since the run's start
-- column:      thread | - | name of its thread
-- column:      call | id | calls.id
-- column:      raw_duration_ns | ns | as measured
-- column:      stack | stack | who called it, outermost first
WITH RECURSIVE
     params AS (SELECT coalesce(:per_function, 3) AS per_function, coalesce(:min_ns, 0) AS min_ns,
                       coalesce(:stacks, 50) AS stacks),
     callees AS MATERIALIZED ( -- of calls, those that are slow ones of their function
       SELECT c.parent_id AS call_id, max(s.cpu_ns) AS cpu_ns, max(s.duration_ns) AS duration_ns
       FROM slow_calls s CROSS JOIN calls c ON c.id = s.call_id GROUP BY c.parent_id),
     chosen AS MATERIALIZED (
       SELECT s.*, f.median_ns,
              row_number() OVER (ORDER BY coalesce(5 * callees.cpu_ns >= 4 * s.cpu_ns
                                                   AND 5 * callees.duration_ns >= 4 * s.duration_ns, 0),
                                          max(0, s.cpu_ns - coalesce(f.median_ns, 0)) * (f.finished > 1 AND f.recursive_calls = 0) DESC,
                                          s.cpu_ns DESC, s.call_id) AS place
       FROM slow_calls s JOIN function_stats f ON f.function_id = s.function_id CROSS JOIN params
            LEFT JOIN callees ON callees.call_id = s.call_id
       WHERE s.rank <= params.per_function AND s.cpu_ns >= params.min_ns),
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
       CASE WHEN chosen.cpu_ns >= max(chosen.wait_ns, chosen.preempted_ns) THEN 'computed'
            WHEN chosen.preempted_ns > chosen.wait_ns THEN 'put aside'
            WHEN 2 * (SELECT total(g.wait_ns) FROM gaps g WHERE g.major_faults > 0 AND g.call_id BETWEEN
                        chosen.call_id AND chosen.call_id + c.descendants) >= chosen.wait_ns THEN 'page faults'
            ELSE 'waited' END AS mostly,
       chosen.duration_ns,
       chosen.wait_ns,
       chosen.preempted_ns AS put_aside_ns,
       c.enter_ns,
       t.name AS thread,
       chosen.call_id AS call,
       chosen.raw_duration_ns,
       (SELECT text FROM stacks WHERE call_id = chosen.call_id) AS stack
FROM chosen
     JOIN function_details f ON f.id = chosen.function_id
     LEFT JOIN calls c ON c.id = chosen.call_id
     LEFT JOIN threads t ON t.id = c.thread_id
ORDER BY chosen.place
