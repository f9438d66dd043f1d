SELECT key, coalesce(CAST(value AS TEXT), '') AS value FROM run
