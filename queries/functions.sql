-- title:       Functions
-- question:    What are each function's figures?
-- group:       Time
-- description: Every function that was called, with its calls and times: the table to look things up in.
-- advice:      Sort it by what you ask for: --sort max_ns for the slowest single call, --sort deviation_ns for
--              the most uneven, --sort first_ns --reverse for the order in which functions came into use.
-- source:      gprof's flat profile (Graham, Kessler & McKusick 1982), with exact counts; deviations by
--              Welford's method
-- report:      none
-- param:       min_calls = 1 | calls | leave out functions with fewer calls
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      calls | calls | calls
-- column:      total_ns | ns | time with callees, outermost activations
-- column:      self_ns | ns | time in its own code: on the processor, waiting, put aside
-- column:      cpu_ns | ns | processor time with callees, outermost activations
-- column:      self_cpu_ns | ns | processor time in its own code
-- column:      min_ns | ns a call | processor time of its shortest call
-- column:      median_ns | ns a call | of the middle call, up to 3.2 % off
-- column:      mean_ns | ns a call | of all finished calls
-- column:      p99_ns | ns a call | 99 of 100 calls took at most this, up to 3.2 % off
-- column:      max_ns | ns a call | of its longest call
-- column:      deviation_ns | ns a call | standard deviation of its calls
-- column:      first_ns | ns | when it was first called, since the run's start
-- column:      last_ns | ns | when it was last called
-- column:      allocs | blocks | blocks that its own code allocated
-- column:      slowest_call | id | calls.id of its slowest call
-- column:      module | - | of the map of `fisql modules`, else where it was loaded from
WITH params AS (SELECT coalesce(:min_calls, 1) AS min_calls)
SELECT f.name AS function,
       f.location,
       s.calls,
       s.total_ns,
       s.self_ns,
       s.cpu_ns,
       s.self_cpu_ns,
       s.min_ns,
       s.median_ns,
       round(s.mean_ns, 1) AS mean_ns,
       s.p99_ns,
       s.max_ns,
       round(sqrt(s.m2 / nullif(s.finished - 1, 0)), 1) AS deviation_ns,
       s.first_enter_ns AS first_ns,
       s.last_enter_ns AS last_ns,
       s.allocs,
       s.slowest_call_id AS slowest_call,
       f.module
FROM function_stats s
     JOIN function_details f ON f.id = s.function_id
     CROSS JOIN params
WHERE s.calls >= params.min_calls
ORDER BY s.total_ns DESC, s.calls DESC, s.function_id
