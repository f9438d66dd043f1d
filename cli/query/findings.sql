-- The statements of findings.c.

-- statement: head
SELECT (SELECT value FROM run WHERE key = 'command'), (SELECT count(DISTINCT process_id) FROM threads),
       (SELECT count(*) FROM threads), (SELECT coalesce(sum(calls + counted_calls), 0) FROM threads),
       (SELECT coalesce(max(end_ns), 0) FROM threads), (SELECT coalesce(sum(blocks), 0) FROM alloc_stacks)
