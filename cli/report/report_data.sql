-- The statements of report_data.c: a part of the page each, its rows by importance.

-- statement: totals
SELECT (SELECT count(*) FROM processes WHERE origin IS NOT 'exec' OR parent_id IS NULL) AS processes,
       (SELECT count(*) FROM threads) AS threads,
       (SELECT coalesce(sum(calls + counted_calls), 0) FROM threads) AS calls,
       (SELECT coalesce(sum(calls), 0) FROM threads) AS call_rows,
       (SELECT coalesce(max(end_ns), 0) FROM threads) AS end_ns,
       (SELECT coalesce(sum(self_ns), 0) FROM threads) AS self_ns,
       (SELECT coalesce(sum(raw_self_ns), 0) FROM threads) AS raw_self_ns,
       (SELECT coalesce(sum(self_wait_ns), 0) FROM threads) AS wait_ns,
       (SELECT coalesce(sum(self_preempted_ns), 0) FROM threads) AS preempted_ns,
       (SELECT count(*) FROM functions WHERE instrumented) AS functions,
       (SELECT count(*) FROM function_stats) AS functions_called,
       (SELECT coalesce(sum(blocks), 0) FROM alloc_stacks) AS blocks,
       (SELECT coalesce(sum(bytes), 0) FROM alloc_stacks) AS bytes,
       (SELECT coalesce(sum(blocks - freed_blocks), 0) FROM alloc_stacks) AS live_blocks,
       (SELECT coalesce(sum(bytes - freed_bytes), 0) FROM alloc_stacks) AS live_bytes,
       (SELECT coalesce(sum(bytes), 0) FROM kept_stacks) AS kept_bytes,
       (SELECT count(*) FROM frames) AS frames,
       (SELECT count(*) FROM losses) AS losses,
       (SELECT count(*) FROM anomalies) AS anomalies,
       (SELECT count(*) FROM notes) + (SELECT count(*) FROM faults) AS notes

-- statement: processes
SELECT id, pid, parent_id, origin, executable, command, start_ns, end_ns, how_ended, status, signal
FROM processes
ORDER BY id

-- statement: threads
SELECT id, process_id, tid, name, start_ns, end_ns, calls, counted_calls, self_ns, self_wait_ns AS wait_ns,
       self_preempted_ns AS preempted_ns, cpu_ns AS cpu_ns
FROM threads
ORDER BY calls + counted_calls DESC, id

-- statement: losses
SELECT reason, process_id, thread_id, bytes, chunks, calls, events, from_ns, to_ns, detail
FROM losses
ORDER BY id

-- statement: incidents
SELECT i.kind, i.message, coalesce(left_frame.function_id, fr.function_id) AS function_id, i.location, i.pid, i.tid,
       i.thread, i.ns
FROM incident_details i
     LEFT JOIN frames fr ON fr.id = i.frame_id
     LEFT JOIN calls c ON c.id = i.left_call_id
     LEFT JOIN frames left_frame ON left_frame.id = c.frame_id
ORDER BY i.kind = 'stacks', i.id

-- statement: anomalies
SELECT kind, function_id, count(*) AS times, min(ns) AS first_ns, max(detail) AS detail
FROM anomalies
GROUP BY kind, function_id
ORDER BY times DESC, kind, function_id

-- statement: functions
SELECT s.function_id, s.calls, s.total_ns, s.self_ns, s.raw_self_ns, s.finished, s.min_ns, s.max_ns, s.mean_ns,
       s.wait_ns AS wait_ns, s.preempted_ns AS preempted_ns, s.self_wait_ns AS self_wait_ns,
       s.self_preempted_ns AS self_preempted_ns, s.self_waits AS self_waits, s.paused_ns, s.median_ns AS median_ns,
       s.p99_ns AS p99_ns, CASE WHEN s.finished > 1 THEN sqrt(s.m2 / (s.finished - 1)) END AS deviation_ns, s.allocs,
       s.alloc_bytes, s.total_alloc_bytes, s.free_bytes, s.callers, s.callees, s.recursive_calls, s.depth_max,
       s.unwound, s.open, f.size, m.mark
FROM function_stats s JOIN functions f ON f.id = s.function_id LEFT JOIN function_marks m ON m.function_id = s.function_id
ORDER BY s.total_ns + 4 * s.self_ns + 16 * s.calls + s.alloc_bytes DESC, s.function_id

-- statement: edges
SELECT caller_id, site_id, callee_id, calls, cpu_ns AS cpu_ns, self_cpu_ns AS self_cpu_ns, wait_ns AS wait_ns
FROM edges
ORDER BY total_ns + self_ns + 16 * calls DESC, id

-- statement: durations
SELECT function_id, group_concat(log2 || ' ' || count, ' ') AS histogram
FROM durations
GROUP BY function_id
ORDER BY sum(count * (1 << min(log2, 30))) DESC, function_id

-- statement: fastest
SELECT s.function_id, c.id, c.frame_id, c.thread_id, c.depth, c.enter_ns, c.duration_ns, c.descendants,
       CASE WHEN EXISTS (SELECT 1 FROM parameters p WHERE p.function_id = s.function_id)
            THEN (SELECT t.text FROM call_text t WHERE t.call_id = c.id) END AS text
FROM (SELECT * FROM function_stats ORDER BY total_ns + 4 * self_ns + 16 * calls DESC LIMIT 3000) s
     CROSS JOIN calls c ON c.id = s.fastest_call_id

-- statement: slowest
SELECT s.function_id, c.id, c.frame_id, c.thread_id, c.depth, c.enter_ns, c.duration_ns, c.descendants,
       CASE WHEN EXISTS (SELECT 1 FROM parameters p WHERE p.function_id = s.function_id)
            THEN (SELECT t.text FROM call_text t WHERE t.call_id = c.id) END AS text
FROM (SELECT * FROM function_stats ORDER BY total_ns + 4 * self_ns + 16 * calls DESC LIMIT 3000) s
     CROSS JOIN calls c ON c.id = s.slowest_call_id

-- statement: alloc_stacks
SELECT a.frame_id, a.site_id, p.frame_id AS wanted_frame_id, p.site_id AS wanted_site_id, kind, blocks, bytes,
       blocks - freed_blocks AS live_blocks, bytes - freed_bytes AS live_bytes, live_bytes_max, peak_blocks, peak_bytes,
       min_size, max_size, lifetime_ns / max(1, freed_blocks) AS lifetime_ns, cross_thread_frees
FROM alloc_stacks a JOIN alloc_places p ON p.stack_id = a.id AND p.wrappers = 0,
     (SELECT max(1, sum(bytes)) AS all_bytes, max(1, sum(bytes - freed_bytes)) AS all_live,
             max(1, sum(peak_bytes)) AS all_peak
      FROM alloc_stacks)
ORDER BY max(1.0 * bytes / all_bytes, 1.0 * (bytes - freed_bytes) / all_live, 1.0 * peak_bytes / all_peak) DESC, a.id

-- statement: memory
SELECT end_ns, live_bytes, max_live_bytes, live_blocks
FROM memory_steps
WHERE thread_id = 0
ORDER BY step

-- statement: parameters
SELECT p.function_id, p.position, p.name, p.type, v.calls, v.absent + v.unreadable + v.no_room AS unknown,
       v.distinct_values, v.counted,
       CASE WHEN p.kind IN ('signed', 'unsigned', 'float') THEN CAST(v.min_value AS TEXT) END AS least,
       CASE WHEN p.kind IN ('signed', 'unsigned', 'float') THEN CAST(v.max_value AS TEXT) END AS greatest
FROM (SELECT function_id, total_ns + 4 * self_ns AS weight
      FROM function_stats
      ORDER BY weight DESC, function_id
      LIMIT 1000) s
     CROSS JOIN parameters p ON p.function_id = s.function_id AND p.position <= 30
     CROSS JOIN parameter_stats v ON v.parameter_id = p.id
ORDER BY s.weight DESC, s.function_id, p.position

-- statement: values
SELECT p.function_id, p.position, t.text, k.calls, k.cpu_ns, k.slowest_call_id
FROM (SELECT function_id, total_ns + 4 * self_ns AS weight
      FROM function_stats
      ORDER BY weight DESC, function_id
      LIMIT 1000) s
     CROSS JOIN parameters p ON p.function_id = s.function_id AND p.position <= 30
     CROSS JOIN value_counts k ON k.parameter_id = p.id AND k.rank <= 5
     CROSS JOIN value_count_texts t ON t.parameter_id = p.id AND t.rank = k.rank
WHERE k.calls > 0
ORDER BY s.weight DESC, s.function_id, p.position, k.rank

-- statement: value_costs
SELECT p.function_id, p.position, round(v.mean_value, 1) AS value, v.calls, v.descendants, v.cpu_ns, v.max_ns
FROM (SELECT function_id, total_ns + 4 * self_ns AS weight
      FROM function_stats
      ORDER BY weight DESC, function_id
      LIMIT 300) s
     CROSS JOIN parameters p ON p.function_id = s.function_id AND p.position <= 30
     CROSS JOIN value_costs v ON v.parameter_id = p.id
ORDER BY s.weight DESC, s.function_id, p.position, v.low

-- statement: file_nodes
SELECT f.file_id, count(*) AS functions, sum(s.calls) AS calls, sum(s.self_ns) AS self_ns,
       sum(s.alloc_bytes) AS alloc_bytes, min(coalesce(u.name, m.name)) AS module
FROM function_stats s JOIN functions f ON f.id = s.function_id
     LEFT JOIN modules m ON m.id = f.module_id LEFT JOIN mapped_functions u ON u.function_id = f.id
GROUP BY f.file_id
ORDER BY sum(s.self_ns) DESC, f.file_id

-- statement: file_edges
SELECT a.file_id AS from_file_id, b.file_id AS to_file_id, sum(e.calls) AS calls, sum(e.total_ns) AS total_ns,
       count(DISTINCT e.callee_id) AS callees
FROM edges e JOIN functions a ON a.id = e.caller_id JOIN functions b ON b.id = e.callee_id
GROUP BY a.file_id, b.file_id
ORDER BY sum(e.calls) DESC, a.file_id, b.file_id

-- statement: module_nodes
SELECT coalesce(u.name, m.name) AS module, count(*) AS functions, sum(s.calls) AS calls, sum(s.self_ns) AS self_ns,
       sum(s.alloc_bytes) AS alloc_bytes
FROM function_stats s JOIN functions f ON f.id = s.function_id
     LEFT JOIN modules m ON m.id = f.module_id LEFT JOIN mapped_functions u ON u.function_id = f.id
GROUP BY 1
ORDER BY sum(s.self_ns) DESC, 1

-- statement: module_edges
SELECT coalesce(ua.name, ma.name) AS from_module, coalesce(ub.name, mb.name) AS to_module, sum(e.calls) AS calls,
       sum(e.total_ns) AS total_ns, count(DISTINCT e.callee_id) AS callees
FROM edges e JOIN functions a ON a.id = e.caller_id JOIN functions b ON b.id = e.callee_id
     LEFT JOIN modules ma ON ma.id = a.module_id LEFT JOIN mapped_functions ua ON ua.function_id = a.id
     LEFT JOIN modules mb ON mb.id = b.module_id LEFT JOIN mapped_functions ub ON ub.function_id = b.id
GROUP BY 1, 2
ORDER BY sum(e.calls) DESC, 1, 2

-- statement: module_names
SELECT min(position) AS id, name
FROM module_map
GROUP BY name
ORDER BY 1

-- statement: function_modules
-- A number for a name: a run has many functions.
SELECT u.function_id, n.id AS module
FROM function_stats s JOIN mapped_functions u ON u.function_id = s.function_id
     JOIN (SELECT min(position) AS id, name FROM module_map GROUP BY name) n ON n.name = u.name
ORDER BY s.total_ns + 4 * s.self_ns + 16 * s.calls + s.alloc_bytes DESC, s.function_id
