-- What the push found by the run's own queries (cli/fleet/found.c).
SELECT query, function_id, detail, sum(calls) AS calls FROM temp.found GROUP BY query, function_id, detail
