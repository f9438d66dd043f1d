-- The statements of cmd_review.c.

-- statement: costliest
SELECT function_id
FROM function_stats
ORDER BY self_ns DESC, function_id
LIMIT 5

-- statement: numbers
SELECT calls, total_ns, self_ns, mean_ns, max_ns, total_alloc_bytes
FROM function_stats
WHERE function_id = ?1

-- statement: parameters
SELECT p.id, CASE p.position WHEN 0 THEN 'result' ELSE coalesce(p.name, '#' || p.position) END
FROM parameters p
WHERE p.function_id = ?1 AND p.position <= 30
ORDER BY p.position = 0, p.position

-- statement: values
SELECT t.text, k.calls
FROM value_counts k JOIN value_count_texts t ON t.parameter_id = k.parameter_id AND t.rank = k.rank
WHERE k.parameter_id = ?1 AND k.rank <= 3 AND k.calls > 0
ORDER BY k.rank

-- statement: callers
SELECT coalesce(f.name, 'code without hooks'), sum(e.calls)
FROM edges e LEFT JOIN functions f ON f.id = e.caller_id
WHERE e.callee_id = ?1
GROUP BY e.caller_id
ORDER BY 2 DESC, 1
LIMIT 8

-- statement: callees
SELECT f.name, sum(e.calls)
FROM edges e JOIN functions f ON f.id = e.callee_id
WHERE e.caller_id = ?1
GROUP BY e.callee_id
ORDER BY 2 DESC, 1
LIMIT 8
