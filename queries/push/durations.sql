SELECT stable(f.stable_id) AS function_id, d.log2, sum(d.count) AS calls
FROM durations d JOIN functions f ON f.id = d.function_id
GROUP BY 1, 2
