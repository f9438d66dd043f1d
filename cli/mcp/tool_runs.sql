-- The statements of tool_runs.c.

-- statement: run
SELECT substr((SELECT value FROM run WHERE key = 'command'), 1, 300) AS command,
       (SELECT strftime('%Y-%m-%dT%H:%M:%SZ', value, 'unixepoch') FROM run WHERE key = 'started') AS started,
       (SELECT max(end_ns) - min(start_ns) FROM threads) AS duration_ns,
       (SELECT sum(calls) FROM threads) AS calls,
       (SELECT count(*) FROM function_stats) AS functions_called,
       (SELECT count(*) FROM threads) AS threads,
       (SELECT count(*) FROM last_images) AS processes,
       (SELECT sum(blocks) FROM alloc_stacks) AS allocations,
       (SELECT sum(bytes) FROM alloc_stacks) AS allocated_bytes,
       (SELECT count(*) FROM losses) AS losses
