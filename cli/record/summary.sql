-- The statements of summary.c.

-- statement: threads
SELECT t.id, coalesce(t.name, '?'), t.tid, p.pid, max(0, t.end_ns - t.start_ns), t.self_cpu_ns, t.wait_ns, t.preempted_ns,
       t.calls + t.counted_calls
FROM threads t JOIN processes p ON p.id = t.process_id
WHERE ?1 = 0 OR p.pid = ?1 AND t.tid = ?2
ORDER BY CASE WHEN ?1 = 0 THEN 0 ELSE -t.id END, t.self_cpu_ns DESC, t.id

-- statement: functions
SELECT s.self_cpu_ns, s.calls, f.name, coalesce(files.name || ':' || f.line, files.name, m.name, '?'),
       sum(s.self_cpu_ns) OVER (), count(*) OVER ()
FROM thread_functions s JOIN functions f ON f.id = s.function_id
     LEFT JOIN files ON files.id = f.file_id LEFT JOIN modules m ON m.id = f.module_id
WHERE s.thread_id = ?1
ORDER BY s.self_cpu_ns DESC, s.calls DESC, f.id

-- statement: waits
SELECT s.self_wait_ns, f.name, s.self_waits
FROM thread_functions s JOIN functions f ON f.id = s.function_id
WHERE s.thread_id = ?1 AND s.self_wait_ns > 0
ORDER BY s.self_wait_ns DESC, f.id LIMIT 1

-- statement: allocs
SELECT count(*), coalesce(sum(size), 0), count(*) FILTER (WHERE free_ns IS NULL) FROM allocs WHERE thread_id = ?1
