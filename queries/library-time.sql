-- title:       Library time
-- question:    Which library functions take time, and who calls them?
-- group:       Time
-- description: Functions of libraries that were not recorded themselves, by the time that passed in them, and the
--              line that spends the most there. Elsewhere this time counts as the callers' own.
-- advice:      Call it less often (larger reads and writes, lengths kept instead of counted, work moved out of
--              a loop), or use what does it faster. Time spent waiting is another library's no remedy for.
--              Calls that libraries make among themselves are part of the first one.
-- source:      calls through the slots of the global offset table, and by addresses from dlsym(); what an
--              address leads to that the program has taken itself is not seen (functions.not_hooked says so)
-- needs:       library-calls
-- libraries:   shown
-- report:      none
-- param:       min_share = 0 | % | of the run's time in functions: leave out what takes less
-- filter:      function = function caller
-- column:      function | - | of the library
-- column:      library | - | it lies in
-- column:      self_ns | ns | time in it, without what it called back
-- column:      share | % | of the time that all functions took themselves
-- column:      self_cpu_ns | ns | part of self_ns on the processor
-- column:      self_wait_ns | ns | part of self_ns that the thread waited
-- column:      calls | calls | of it
-- column:      self_per_call_ns | ns a call | mean time in it
-- column:      caller | - | the function that spends the most there
-- column:      called_from | - | file and line of that call
-- column:      caller_share | % | of self_ns, by calls from that line
-- column:      callers | functions | that call it
WITH params AS (SELECT coalesce(:min_share, 0) AS min_share),
     whole AS MATERIALIZED (SELECT total(self_ns) AS self_ns FROM function_stats),
     lines AS MATERIALIZED (
       SELECT e.callee_id, e.caller_id, e.site_id, sum(e.self_ns) AS self_ns, sum(e.calls) AS calls
       FROM functions f CROSS JOIN edges e ON e.callee_id = f.id
       WHERE f.external GROUP BY e.callee_id, e.caller_id, e.site_id),
     first AS MATERIALIZED (
       SELECT l.*, row_number() OVER (PARTITION BY callee_id ORDER BY self_ns DESC, calls DESC, caller_id, site_id) AS place
       FROM lines l)
SELECT f.name AS function,
       m.name AS library,
       s.self_ns,
       round(100.0 * s.self_ns / nullif(whole.self_ns, 0), 1) AS share,
       s.self_cpu_ns,
       s.self_wait_ns,
       s.calls,
       round(1.0 * s.self_ns / s.calls, 1) AS self_per_call_ns,
       coalesce(c.name, '(no instrumented caller)') AS caller,
       d.location AS called_from,
       round(100.0 * first.self_ns / nullif(s.self_ns, 0), 1) AS caller_share,
       (SELECT count(DISTINCT caller_id) FROM lines l WHERE l.callee_id = f.id) AS callers
FROM functions f CROSS JOIN params CROSS JOIN whole
     JOIN function_stats s ON s.function_id = f.id
     LEFT JOIN modules m ON m.id = f.module_id
     LEFT JOIN first ON first.callee_id = f.id AND first.place = 1
     LEFT JOIN functions c ON c.id = first.caller_id
     LEFT JOIN site_details d ON d.id = first.site_id
WHERE f.external AND s.calls > 0 AND 100.0 * s.self_ns >= params.min_share * whole.self_ns
ORDER BY s.self_ns DESC, s.calls DESC, f.id
