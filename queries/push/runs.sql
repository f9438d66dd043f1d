-- The run as a row of the table runs; the push adds when it was, and what pull gives back.
WITH fact AS (SELECT key, value FROM run),
     first AS (SELECT executable, command FROM processes ORDER BY id LIMIT 1),
     lost AS (SELECT coalesce(sum(a.blocks - a.freed_blocks), 0) AS blocks,
                     coalesce(sum(a.bytes - a.freed_bytes), 0) AS bytes
              FROM alloc_stacks a WHERE a.id NOT IN (SELECT stack_id FROM kept_stacks))
SELECT (SELECT CAST(value AS TEXT) FROM fact WHERE key = 'run_id') AS run,
       coalesce((SELECT CAST(value AS INTEGER) FROM fact WHERE key = 'started'), 0) AS recorded,
       file_name(coalesce((SELECT executable FROM first), '')) AS program,
       coalesce((SELECT CAST(value AS TEXT) FROM fact WHERE key = 'host'), '') AS host,
       coalesce((SELECT m.build_id FROM first JOIN modules m ON m.path = first.executable ORDER BY m.id LIMIT 1), '') AS build,
       coalesce((SELECT CAST(value AS TEXT) FROM fact WHERE key = 'command'), (SELECT command FROM first), '') AS command,
       (SELECT count(DISTINCT stable_id) FROM functions WHERE instrumented) AS functions,
       (SELECT count(DISTINCT f.stable_id) FROM function_stats s JOIN functions f ON f.id = s.function_id
        WHERE s.calls > 0) AS called,
       (SELECT coalesce(sum(calls), 0) FROM function_stats) AS calls,
       (SELECT coalesce(sum(self_cpu_ns), 0) FROM function_stats) AS self_cpu_ns,
       (SELECT coalesce(sum(blocks), 0) FROM alloc_stacks) AS allocs,
       (SELECT coalesce(sum(bytes), 0) FROM alloc_stacks) AS alloc_bytes,
       lost.blocks AS not_freed_blocks, lost.bytes AS not_freed_bytes,
       (SELECT count(*) FROM losses) AS losses, :pushed AS pushed, :contexts AS contexts, :has_calls AS has_calls,
       :parts AS parts, :database_bytes AS database_bytes
FROM lost
