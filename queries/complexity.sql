-- title:       Complexity
-- question:    Which functions take the most different ways?
-- group:       Inlining and call structure
-- description: Functions by the number of distinct sequences of direct calls that their calls made
--              (calls of the same callee in a row count once): how many different things they do.
-- advice:      Many sequences, none of them common, mean a function with many modes: split it by them.
--              One sequence with nearly all calls is a fast path: put it first, move the rest out of
--              line. A function with one call has one sequence, however long. Interpreters' loops are
--              complex by nature.
-- source:      distinct call sequences; compare cyclomatic complexity (McCabe 1976), which counts paths
--              that might be taken
-- report:      overview
-- param:       min_sequences = 2 | sequences | leave out functions with fewer
-- param:       shown = 50 | rows | name the commonest sequence for this many rows
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      sequences | sequences | distinct ones
-- column:      complete | 0 or 1 | 0 = there were more than could be kept
-- column:      calls | calls | calls of the function
-- column:      commonest_share | % | share of the calls with the commonest sequence
-- column:      length | callees | in the commonest sequence
-- column:      commonest | stack | the commonest sequence of calls, first to last; the text is cut after 64 callees
-- column:      example_call | id | calls.id of a call with it
WITH RECURSIVE
     params AS (SELECT coalesce(:min_sequences, 2) AS min_sequences, coalesce(:shown, 50) AS shown),
     complex AS MATERIALIZED (
       SELECT s.function_id, s.sequences, s.sequences_complete, s.calls,
              row_number() OVER (ORDER BY s.sequences DESC, s.calls DESC, s.function_id) AS place
       FROM function_stats s CROSS JOIN params WHERE s.sequences >= params.min_sequences),
     split(function_id, rest, text) AS (
       SELECT c.function_id, substr(q.sequence, 1, 4000) || CASE q.sequence WHEN '' THEN '' ELSE ' ' END, ''
       FROM complex c CROSS JOIN params
            JOIN call_sequences q ON q.function_id = c.function_id AND q.rank = 1
       WHERE c.place <= params.shown
       UNION ALL
       SELECT function_id, substr(rest, instr(rest, ' ') + 1),
              text || CASE text WHEN '' THEN '' ELSE ' => ' END ||
              (SELECT name FROM functions WHERE id = CAST(substr(rest, 1, instr(rest, ' ') - 1) AS INTEGER))
       FROM split WHERE instr(rest, ' ') > 0)
SELECT f.name AS function,
       f.location,
       c.sequences,
       c.sequences_complete AS complete,
       c.calls,
       round(100.0 * q.calls / c.calls, 1) AS commonest_share,
       q.length,
       CASE split.text WHEN '' THEN '(no calls)' ELSE split.text END AS commonest,
       q.example_call_id AS example_call
FROM complex c
     JOIN function_details f ON f.id = c.function_id
     LEFT JOIN call_sequences q ON q.function_id = c.function_id AND q.rank = 1
     LEFT JOIN split ON split.function_id = c.function_id AND split.rest = ''
ORDER BY c.place
