-- title:       Coverage by faults
-- question:    Which functions ran only when a call failed?
-- group:       Faults
-- description: Functions with hooks that the run without faults did not call: those that ran in experiments of
--              `fisql faults`, error handlers that no test had ever reached; and those that no experiment
--              reached either.
-- advice:      A function that never ran needs other input, or other calls to fail (--calls), or is
--              dead code: compare with dead-code.
-- source:      as fault-outcomes; coverage as in the query coverage
-- report:      none
-- needs:       experiments
-- param:       never = 1 | 0 or 1 | 0 = only those that ran in experiments
-- column:      ran | - | with faults, or never
-- column:      function | - | name
-- column:      location | - | FILE:LINE of its definition
-- column:      experiments | - | how many it ran in
-- column:      experiment | id | experiments.id of the first of them
-- column:      target | - | the call that failed in that
WITH params AS (SELECT coalesce(:never, 1) AS never),
     reached AS (SELECT function_id, count(*) AS experiments, min(experiment_id) AS first_id
                 FROM experiment_functions GROUP BY function_id)
SELECT CASE WHEN r.function_id IS NULL THEN 'never' ELSE 'with faults' END AS ran,
       f.name AS function,
       f.location,
       coalesce(r.experiments, 0) AS experiments,
       r.first_id AS experiment,
       e.target
FROM function_details f
     CROSS JOIN params
     LEFT JOIN function_stats s ON s.function_id = f.id AND s.calls > 0
     LEFT JOIN reached r ON r.function_id = f.id
     LEFT JOIN experiments e ON e.id = r.first_id
WHERE f.instrumented AND f.module_id IS NOT NULL AND s.function_id IS NULL
      AND (r.function_id IS NOT NULL OR params.never AND EXISTS (SELECT 1 FROM experiments WHERE outcome IS NOT NULL))
ORDER BY r.function_id IS NULL, r.experiments DESC, f.name, f.id
