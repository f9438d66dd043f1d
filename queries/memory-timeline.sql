-- title:       Memory timeline
-- question:    How much memory was live at what time?
-- group:       Memory
-- description: Live bytes over time: the run in equal steps, for all threads together or for each. Steps in
--              which nothing was allocated or freed are left out, except the last.
-- advice:      A line that climbs without end is a leak or a cache without bound; a saw-tooth is
--              churn. The steps of one thread show the live memory that it allocated, whichever
--              thread frees it.
-- source:      massif's graph
-- needs:       allocations
-- report:      none
-- param:       steps = 20 | steps | into so many equal parts; there are up to 1000
-- param:       by_thread = 0 | 0 or 1 | 1 = a row for each thread and step
-- column:      step | - | number of the step, from 0
-- column:      end_ns | ns | end of the step, since the run's start
-- column:      thread | - | name of the thread, NULL = all together
-- column:      live_bytes | bytes | live at the end of the step
-- column:      live_blocks | blocks | live at the end of the step
-- column:      max_live_bytes | bytes | the most in the step (all threads); else as live_bytes
-- column:      allocs | blocks | allocated in the step
-- column:      alloc_bytes | bytes | allocated in the step
-- column:      frees | blocks | freed in the step
-- column:      free_bytes | bytes | freed in the step
WITH params AS (SELECT coalesce(:steps, 20) AS steps, coalesce(:by_thread, 0) AS by_thread),
     whole AS MATERIALIZED (SELECT max(step) + 1 AS steps FROM memory_steps),
     merged AS (
       SELECT m.thread_id, m.step * max(1, min(params.steps, whole.steps)) / whole.steps AS step,
              max(m.step) AS last_step, max(m.max_live_bytes) AS max_live_bytes,
              sum(m.allocs) AS allocs, sum(m.alloc_bytes) AS alloc_bytes,
              sum(m.frees) AS frees, sum(m.free_bytes) AS free_bytes
       FROM memory_steps m CROSS JOIN params CROSS JOIN whole
       WHERE (m.thread_id <> 0) = (params.by_thread <> 0)
       GROUP BY 1, 2)
SELECT g.step,
       m.end_ns,
       coalesce(t.name, '#' || t.tid) AS thread,
       m.live_bytes,
       m.live_blocks,
       g.max_live_bytes,
       g.allocs,
       g.alloc_bytes,
       g.frees,
       g.free_bytes
FROM merged g JOIN memory_steps m ON m.thread_id = g.thread_id AND m.step = g.last_step
     LEFT JOIN threads t ON t.id = g.thread_id
     CROSS JOIN whole
WHERE g.allocs + g.frees > 0 OR g.last_step = whole.steps - 1
ORDER BY g.thread_id, g.step
