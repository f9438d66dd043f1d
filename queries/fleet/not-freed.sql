-- title:       Not freed
-- question:    Which blocks were never freed, in how many runs?
-- group:       Many runs
-- description: Blocks that were not freed at exit, by the stack that allocated them, summed up over the chosen runs.
--              What the C library keeps for itself is left out.
-- advice:      A stack that leaks in every run, and more in longer ones, is a leak; one that leaks in few runs depends on
--              input. regressions shows whether a build leaks more than another.
-- source:      valgrind memcheck's leak summary, over runs
-- param:       runs = * | - | only these: KEY=VALUE or VALUE of a label, or a run; * = all
-- param:       min_bytes = 0 | bytes | leave out stacks with less in all
-- column:      bytes | bytes | not freed, in all of these runs
-- column:      blocks | blocks | not freed
-- column:      function | - | that wanted them
-- column:      location | - | where the allocation was called
-- column:      kind | - | malloc, new, ...
-- column:      stack | stack | calls that led there, outermost first
-- column:      runs | runs | in which it was so
-- column:      min_bytes | bytes | in the run with least of these
-- column:      max_bytes | bytes | in the run with most
-- gather by_run: uses chosen
SELECT run_id, context_id, function_id, place, kind, sum(not_freed_blocks) AS lost_blocks, sum(not_freed_bytes) AS lost_bytes
FROM allocations WHERE kept = 0 AND not_freed_blocks > 0 AND run_id IN (SELECT run_id FROM chosen)
GROUP BY run_id, context_id, function_id, place, kind
-- gather told: uses by_run
SELECT context_id, min(stack) AS stack_text FROM stacks WHERE context_id IN (SELECT context_id FROM by_run) GROUP BY context_id
-- gather named: uses by_run
SELECT function_id, min(name) AS function_name
FROM names WHERE function_id IN (SELECT function_id FROM by_run)
GROUP BY function_id
-- finish
SELECT sum(b.lost_bytes) AS bytes, sum(b.lost_blocks) AS blocks, coalesce(n.function_name, '') AS function, b.place AS location,
       b.kind, coalesce(t.stack_text, '(outside any recorded call)') AS stack, count(*) AS runs,
       min(b.lost_bytes) AS min_bytes, max(b.lost_bytes) AS max_bytes
FROM by_run b LEFT JOIN named n ON n.function_id = b.function_id LEFT JOIN told t ON t.context_id = b.context_id
GROUP BY b.context_id, b.function_id, b.place, b.kind
HAVING sum(b.lost_bytes) >= coalesce(:min_bytes, 0)
ORDER BY bytes DESC, blocks DESC, stack, location, kind, b.context_id, b.function_id
