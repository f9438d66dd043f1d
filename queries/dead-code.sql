-- title:       Dead code
-- question:    Which functions were never called?
-- group:       Coverage and threads
-- description: Instrumented functions that this run never called, by file, the file with most
--              bytes of them first, and in it the largest. Clones and inlined copies count as their function.
-- advice:      A function that no run of a full test suite calls can be removed, or lacks a test.
--              If code_callers is 0, no code of the program calls it by name: if no table or other
--              code has its address, and it is not exported, -ffunction-sections and
--              -Wl,--gc-sections drop it. One run proves nothing: look at the runs together (ATTACH
--              their databases). If inlined_copies is not 0, copies were inlined: only calls out of
--              line are counted, and the copies may have run. Functions that are only called when something fails (error paths)
--              naturally show up here.
-- source:      gcov's functions executed 0 times
-- report:      findings
-- param:       file = * | pattern | only files whose path matches (GLOB)
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      file | - | path of the source file
-- column:      line | - | line of the definition
-- column:      size | bytes | size of its code
-- column:      dead_in_file | functions | functions of the file that were never called
-- column:      functions_in_file | functions | instrumented functions of the file
-- column:      dead_bytes_in_file | bytes | code of these
-- column:      code_callers | functions | whose code calls it by name (of its module); 0: an interface, or a pointer's
-- column:      inlined_copies | copies | inlined into other code, where a run of one is no call (0 in modules with hooks, which see them)
-- column:      module | - | of the map of `fisql modules`, else where it was loaded from
WITH params AS (SELECT coalesce(:file, '*') AS file),
     inventory AS (
       SELECT f.id, f.module_id, f.file_id, f.size, f.call_sources AS code_callers, f.inlined_copies,
              EXISTS (SELECT 1 FROM function_stats s WHERE s.function_id = f.id AND s.calls > 0) AS called
       FROM functions f WHERE f.instrumented = 1),
     by_file AS MATERIALIZED (
       SELECT module_id, file_id, count(*) AS functions, sum(NOT called) AS dead,
              total(CASE WHEN NOT called THEN size END) AS dead_bytes
       FROM inventory GROUP BY module_id, file_id)
SELECT f.name AS function,
       f.location,
       f.file,
       f.line,
       f.size,
       b.dead AS dead_in_file,
       b.functions AS functions_in_file,
       CAST(b.dead_bytes AS INTEGER) AS dead_bytes_in_file,
       i.code_callers,
       i.inlined_copies,
       f.module
FROM inventory i
     JOIN function_details f ON f.id = i.id
     JOIN by_file b ON b.module_id IS i.module_id AND b.file_id IS i.file_id
     CROSS JOIN params
WHERE NOT i.called AND coalesce(f.file, '') GLOB params.file
ORDER BY b.dead_bytes DESC, f.module, f.file, f.size DESC, f.line, i.id
