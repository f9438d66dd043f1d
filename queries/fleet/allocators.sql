-- title:       Allocators
-- question:    Which functions allocate, over many runs?
-- group:       Many runs
-- description: Functions by the bytes that they allocated, summed up over the chosen runs.
-- advice:      As for allocators of one run: many small blocks are worth a pool or a buffer that is reused.
-- source:      heap profile, over runs
-- param:       runs = * | - | only these: KEY=VALUE or VALUE of a label, or a run; * = all
-- column:      function | - | that wanted the blocks
-- column:      file | - | where it is defined
-- column:      bytes | bytes | allocated
-- column:      blocks | blocks | allocated
-- column:      mean_bytes | bytes | a block
-- column:      not_freed_bytes | bytes | at the end
-- column:      live_max_bytes | bytes | live at once in one run: at most this
-- column:      runs | runs | in which it allocated
-- gather sums: uses chosen
SELECT function_id, sum(blocks) AS blocks_all, sum(bytes) AS bytes_all, sum(not_freed_bytes) AS lost_all
FROM allocations WHERE kept = 0 AND run_id IN (SELECT run_id FROM chosen)
GROUP BY function_id
-- gather live: uses chosen
SELECT function_id, max(live_sum) AS live_most, count(*) AS runs_count
FROM (SELECT run_id, function_id, sum(live_bytes_max) AS live_sum
      FROM allocations WHERE kept = 0 AND run_id IN (SELECT run_id FROM chosen)
      GROUP BY run_id, function_id) by_run
GROUP BY function_id
-- gather named: uses sums
SELECT function_id, min(name) AS function_name, min(file) AS file_path
FROM names WHERE function_id IN (SELECT function_id FROM sums)
GROUP BY function_id
-- finish
SELECT coalesce(n.function_name, '(outside any recorded call)') AS function, file_name(coalesce(n.file_path, '')) AS file,
       s.bytes_all AS bytes, s.blocks_all AS blocks, round(1.0 * s.bytes_all / s.blocks_all, 1) AS mean_bytes,
       s.lost_all AS not_freed_bytes, l.live_most AS live_max_bytes, l.runs_count AS runs
FROM sums s JOIN live l ON l.function_id = s.function_id LEFT JOIN named n ON n.function_id = s.function_id
ORDER BY bytes DESC, blocks DESC, function, s.function_id
