-- statement: about
SELECT (SELECT value FROM main.run WHERE key = 'command') AS command,
       (SELECT count(*) FROM main.threads) AS threads, (SELECT sum(calls) FROM main.threads) AS calls,
       (SELECT max(end_ns) FROM main.threads) AS end_ns, (SELECT count(*) FROM main.losses) AS losses,
       (SELECT value FROM main.run WHERE key = 'calls') AS rows_of_calls;

-- statement: schema
SELECT name, type, sql FROM main.sqlite_schema WHERE type IN ('table', 'view') AND name NOT GLOB 'sqlite_*' ORDER BY type, name;

-- statement: functions
SELECT f.id, f.name, f.location, f.module, s.calls, s.self_cpu_ns, s.cpu_ns, s.self_ns, s.total_ns, s.slowest_call_id
FROM main.function_stats s JOIN main.function_details f ON f.id = s.function_id
WHERE ?1 IS NULL OR instr(lower(f.name), lower(?1)) > 0
ORDER BY s.self_cpu_ns DESC, f.id LIMIT ?2;
