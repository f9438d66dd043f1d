-- The statements of digest.c.

-- statement: run
SELECT (SELECT value FROM run WHERE key = 'command'),
       (SELECT coalesce(max(end_ns), 0) - coalesce(min(start_ns), 0) FROM threads),
       (SELECT count(*) FROM processes WHERE origin IS NOT 'exec' OR parent_id IS NULL),
       (SELECT count(*) FROM threads), (SELECT total(calls) + total(counted_calls) FROM threads),
       (SELECT min(id) FROM processes), (SELECT total(preempted_ns) FROM threads),
       (SELECT value FROM run WHERE key = 'hook_cost_error_ns'), (SELECT total(paused_ns) FROM threads),
       (SELECT 100.0 * self_error_ns / self_ns FROM function_stats WHERE self_ns > 0 ORDER BY self_cpu_ns DESC LIMIT 1),
       (SELECT 1e4 * total(1.0 * self_error_ns * self_error_ns) / (total(self_ns) * total(self_ns))
        FROM (SELECT self_error_ns, self_ns FROM function_stats WHERE self_ns > 0 ORDER BY self_cpu_ns DESC LIMIT 10))

-- statement: not_freed
WITH held AS (
       SELECT p.function_id, a.blocks - a.freed_blocks AS blocks, a.bytes - a.freed_bytes AS bytes
       FROM alloc_stacks a JOIN alloc_places p ON p.stack_id = a.id AND p.wrappers = 0
       WHERE a.blocks > a.freed_blocks AND a.id NOT IN (SELECT stack_id FROM kept_stacks)),
     most AS (
       SELECT function_id
       FROM held
       WHERE function_id IS NOT NULL
       GROUP BY 1
       ORDER BY sum(bytes) DESC, 1
       LIMIT 1)
SELECT (SELECT total(blocks) FROM held), (SELECT total(bytes) FROM held), f.name, f.location
FROM (SELECT 1) LEFT JOIN most LEFT JOIN function_details f ON f.id = most.function_id

-- statement: allocated
WITH most AS (
       SELECT p.function_id
       FROM alloc_stacks a JOIN alloc_places p ON p.stack_id = a.id AND p.wrappers = 0
       WHERE p.function_id IS NOT NULL
       GROUP BY 1
       ORDER BY sum(a.bytes) DESC, 1
       LIMIT 1)
SELECT (SELECT total(blocks) FROM alloc_stacks), (SELECT total(bytes) FROM alloc_stacks),
       (SELECT value FROM run WHERE key = 'peak_bytes'),
       (SELECT total(blocks) FROM alloc_distances WHERE allocs_between <= 1), f.name, f.location
FROM (SELECT 1) LEFT JOIN most LEFT JOIN function_details f ON f.id = most.function_id

-- statement: trouble
SELECT (SELECT count(*) FROM processes WHERE signal IS NOT NULL),
       (SELECT count(*) FROM free_errors WHERE error = 'double'),
       (SELECT count(*) FROM free_errors WHERE error <> 'double'), (SELECT total(mismatched) FROM block_flows),
       (SELECT count(*) FROM anomalies WHERE kind <> 'unwound'), (SELECT count(*) FROM losses),
       (SELECT value FROM run WHERE key = 'ring_dropped_calls'), (SELECT reason FROM losses ORDER BY id LIMIT 1),
       (SELECT count(*) FROM incidents WHERE kind = 'deadlock')

-- statement: inventory
WITH inventory AS (
       SELECT f.file_id, f.size, EXISTS (SELECT 1 FROM function_stats s WHERE s.function_id = f.id AND s.calls > 0)
              AS called
       FROM functions f
       WHERE f.instrumented = 1)
SELECT count(*), total(NOT called), total(CASE WHEN called THEN 0 ELSE size END)
FROM inventory

-- statement: functions
-- Times are by ?1, a word of --by; hooks_ns is the cost of hooks that was taken out of them.
WITH spent AS (
       SELECT s.function_id,
              CASE ?1 WHEN 'wall' THEN s.self_ns WHEN 'wait' THEN s.self_wait_ns ELSE s.self_cpu_ns END AS ns,
              CASE ?1 WHEN 'wait' THEN s.self_waits ELSE s.calls END AS times, s.raw_self_ns - s.self_ns AS hooks_ns,
              ?1 = 'wait' AND s.root_calls > 0 AS outermost
       FROM function_stats s)
SELECT s.ns, s.times, f.name, f.location, s.hooks_ns, s.outermost, total(s.ns) OVER (PARTITION BY s.outermost)
FROM spent s JOIN function_details f ON f.id = s.function_id
WHERE s.ns > 0
ORDER BY s.outermost, s.ns DESC, s.function_id
LIMIT ?2

-- statement: libraries
-- Of library calls that were recorded: which take most processor time, and where most of it is called from.
WITH spent AS (
       SELECT s.function_id, s.self_cpu_ns AS ns, s.calls, s.raw_self_ns - s.self_ns AS hooks_ns
       FROM main.functions f CROSS JOIN main.function_stats s ON s.function_id = f.id
       WHERE f.external AND s.self_cpu_ns > 0
       ORDER BY s.self_cpu_ns DESC, s.function_id
       LIMIT ?1),
     lines AS (
       SELECT e.callee_id, e.caller_id, e.site_id,
              row_number() OVER (PARTITION BY e.callee_id ORDER BY sum(e.self_ns) DESC, sum(e.calls) DESC, e.caller_id, e.site_id)
              AS place
       FROM spent s JOIN main.edges e ON e.callee_id = s.function_id
       GROUP BY e.callee_id, e.caller_id, e.site_id)
SELECT s.ns, s.calls, f.name, coalesce(m.name, '?'), s.hooks_ns, c.name, d.location
FROM spent s JOIN main.functions f ON f.id = s.function_id LEFT JOIN main.modules m ON m.id = f.module_id
     LEFT JOIN lines l ON l.callee_id = f.id AND l.place = 1
     LEFT JOIN main.functions c ON c.id = l.caller_id LEFT JOIN main.site_details d ON d.id = l.site_id
ORDER BY s.ns DESC, s.function_id
