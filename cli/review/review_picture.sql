-- The statements of review_picture.c.

-- statement: calls
SELECT s.function_id, c.thread_id, c.enter_ns, c.raw_duration_ns, c.id
FROM slow_calls s CROSS JOIN call_details c ON c.id = s.call_id
ORDER BY c.duration_ns DESC, c.id

-- statement: callers
SELECT coalesce(f.name, '(no caller)'), sum(e.calls)
FROM edges e LEFT JOIN functions f ON f.id = e.caller_id
WHERE e.callee_id = ?1
GROUP BY e.caller_id
ORDER BY 2 DESC, 1
LIMIT 5

-- statement: callees
SELECT f.name, sum(e.calls)
FROM edges e JOIN functions f ON f.id = e.callee_id
WHERE e.caller_id = ?1
GROUP BY e.callee_id
ORDER BY 2 DESC, 1
LIMIT 5
