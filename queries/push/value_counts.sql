SELECT stable(f.stable_id) AS function_id, p.position, coalesce(p.name, '') AS parameter, t.text AS value, sum(k.calls) AS calls
FROM value_counts k JOIN value_count_texts t ON t.parameter_id = k.parameter_id AND t.rank = k.rank
     JOIN parameters p ON p.id = k.parameter_id JOIN functions f ON f.id = p.function_id
GROUP BY 1, 2, 3, 4
