WITH kept AS MATERIALIZED (SELECT stack_id FROM kept_stacks)
SELECT coalesce(context(a.frame_id), 0) AS context_id, coalesce(stable(f.stable_id), 0) AS function_id,
       coalesce(s.location, '') AS place, a.kind, a.id IN (SELECT stack_id FROM kept) AS kept,
       sum(a.blocks) AS blocks, sum(a.bytes) AS bytes, sum(a.blocks - a.freed_blocks) AS not_freed_blocks,
       sum(a.bytes - a.freed_bytes) AS not_freed_bytes, sum(a.live_bytes_max) AS live_bytes_max
FROM alloc_stacks a JOIN alloc_places p ON p.stack_id = a.id AND p.wrappers = 0
     LEFT JOIN functions f ON f.id = p.function_id LEFT JOIN site_details s ON s.id = p.site_id
GROUP BY 1, 2, 3, 4, 5
