-- title:       Memory timeline
-- question:    How much memory was live at what time?
-- group:       Memory
-- description: Live bytes over time: the run in equal steps, for all threads together or for each.
-- advice:      A line that climbs without end is a leak or a cache without bound; a saw-tooth is churn. The steps
--              of one thread show what it allocated and is still live, whichever thread frees it.
-- source:      massif's graph
-- report:      none
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
WITH params AS (SELECT coalesce(:by_thread, 0) AS by_thread)
SELECT m.step,
       m.end_ns,
       coalesce(t.name, '#' || t.tid) AS thread,
       m.live_bytes,
       m.live_blocks,
       m.max_live_bytes,
       m.allocs,
       m.alloc_bytes,
       m.frees,
       m.free_bytes
FROM memory_steps m CROSS JOIN params LEFT JOIN threads t ON t.id = m.thread_id
WHERE (m.thread_id <> 0) = (params.by_thread <> 0)
ORDER BY m.thread_id, m.step
