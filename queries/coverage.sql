-- title:       Coverage
-- question:    How much of each file was called?
-- group:       Coverage and threads
-- description: Called and uncalled functions, by file and module.
-- advice:      This run tests a file with few called functions little, or does not need it:
--              dead-code lists the functions. A run is one input: combine several before removing
--              code. Only functions compiled with hooks count.
-- source:      function coverage, as gcov -f counts it
-- report:      overview
-- param:       by = 'file' | - | file or module
-- column:      file | - | source file, NULL where it is not known or by is module
-- column:      module | - | of the map of `fisql modules`, else the program or library
-- column:      functions | functions | instrumented ones
-- column:      called | functions | called at least once
-- column:      uncalled | functions | never called
-- column:      percent | % | called
-- column:      calls | calls | calls of them all
-- column:      self_cpu_ns | ns | processor time in their own code
WITH params AS (SELECT coalesce(:by, 'file') AS way)
SELECT CASE params.way WHEN 'module' THEN NULL ELSE f.file END AS file,
       f.module,
       count(*) AS functions,
       count(s.function_id) AS called,
       count(*) - count(s.function_id) AS uncalled,
       round(100.0 * count(s.function_id) / count(*), 1) AS percent,
       coalesce(sum(s.calls), 0) AS calls,
       coalesce(sum(s.self_cpu_ns), 0) AS self_cpu_ns
FROM function_details f CROSS JOIN params
     LEFT JOIN function_stats s ON s.function_id = f.id AND s.calls > 0
WHERE f.instrumented = 1
GROUP BY 1, f.module, CASE WHEN f.module = f.library THEN f.module_id END
ORDER BY uncalled DESC, functions DESC, f.module, 1
