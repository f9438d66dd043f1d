-- The statements of experiments.c.

-- statement: put
UPDATE experiments
SET outcome = ?2, injected = ?3, signal = nullif(?4, 0), status = nullif(?5, -1), leaked_bytes = nullif(?6, -1),
       found_at = ?7, found_location = ?8, detail = ?9, elapsed_ns = ?10, log = ?11
WHERE id = ?1

-- statement: ran
-- Functions that ran in `run`: those among them that did not run without faults.
SELECT f.name, f.address, m.name, s.calls
FROM function_stats s JOIN functions f ON f.id = s.function_id JOIN modules m ON m.id = f.module_id
WHERE s.calls > 0

-- statement: put_ran
INSERT OR IGNORE INTO experiment_functions
SELECT ?1, f.id, ?5
FROM functions f JOIN modules m ON m.id = f.module_id
WHERE f.name = ?2 AND f.address = ?3 AND m.name = ?4
  AND NOT EXISTS (SELECT 1 FROM function_stats s WHERE s.function_id = f.id AND s.calls > 0)
