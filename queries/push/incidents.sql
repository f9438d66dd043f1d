WITH every AS (
       SELECT 'signal' AS kind, NULL AS id, 'signal ' || signal AS detail, 1 AS times
       FROM processes p WHERE how_ended = 'signal' AND NOT EXISTS (
              SELECT 1 FROM incidents i JOIN threads t ON t.id = i.thread_id
              WHERE t.process_id = p.id AND i.kind NOT IN ('stacks', 'double-free'))
       UNION ALL
       SELECT i.kind, fr.function_id, CASE i.kind WHEN 'signal' THEN 'signal ' || i.signal
              WHEN 'stack-smashed' THEN '' WHEN 'deadlock' THEN '' ELSE i.message END, 1
       FROM incidents i LEFT JOIN frames fr ON fr.id = i.frame_id
       WHERE i.kind NOT IN ('stacks', 'double-free') -- free_errors has the latter
       UNION ALL
       SELECT CASE error WHEN 'double' THEN 'double free' ELSE 'bad free' END, fr.function_id,
              CASE error WHEN 'double' THEN e.kind WHEN 'inside' THEN e.kind || ' inside a block'
              ELSE e.kind || ' of no block' END, 1
       FROM free_errors e LEFT JOIN frames fr ON fr.id = e.frame_id
       UNION ALL
       SELECT 'mismatched free', fr.function_id, 'of a block of ' || a.kind, b.mismatched
       FROM block_flows b JOIN alloc_stacks a ON a.id = b.stack_id LEFT JOIN frames fr ON fr.id = b.free_frame_id
       WHERE b.mismatched > 0
       UNION ALL
       SELECT kind, function_id, coalesce(detail, ''), 1 FROM anomalies WHERE kind <> 'unwound'
       UNION ALL
       SELECT 'loss', NULL, reason, 1 FROM losses)
SELECT e.kind, coalesce(stable(f.stable_id), 0) AS function_id, e.detail, sum(e.times) AS times
FROM every e LEFT JOIN functions f ON f.id = e.id
GROUP BY 1, 2, 3
