SELECT coalesce(stable(c.stable_id), 0) AS caller_id, stable(f.stable_id) AS callee_id, sum(e.calls) AS calls,
       sum(e.total_ns) AS total_ns, sum(e.self_ns) AS self_ns
FROM edges e JOIN functions f ON f.id = e.callee_id LEFT JOIN functions c ON c.id = e.caller_id
GROUP BY 1, 2
