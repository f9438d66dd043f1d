-- The statements of cmd_info.c.

-- statement: not_freed
SELECT (not_freed - kept) || CASE WHEN kept > 0 THEN ', and ' || kept || ' that the C library keeps' ELSE '' END
FROM (SELECT (SELECT sum(blocks - freed_blocks) FROM alloc_stacks) AS not_freed,
             (SELECT coalesce(sum(blocks), 0) FROM kept_stacks) AS kept)

-- statement: processes
SELECT p.pid || ' ' || coalesce(o.command || ' => ', '') || coalesce(p.command, p.executable, '?'), p.id
FROM last_images p LEFT JOIN processes o ON o.id = p.parent_id AND p.origin = 'exec'
ORDER BY p.id

-- statement: threads
SELECT tid || ' ' || coalesce(name, '') || ': ' || calls || CASE calls WHEN 1 THEN ' call' ELSE ' calls' END
FROM threads
ORDER BY id

-- statement: modules
SELECT name || ': symbols from ' || coalesce(symbols, 'none') || coalesce(', ' || problem, '')
FROM modules m
WHERE EXISTS (SELECT 1 FROM functions f WHERE f.module_id = m.id AND f.instrumented)
ORDER BY id

-- statement: size
SELECT page_count * page_size FROM pragma_page_count, pragma_page_size

-- statement: lacks
SELECT reason || coalesce(': ' || calls || ' calls', '') || coalesce(': ' || detail, '')
FROM losses
ORDER BY id
