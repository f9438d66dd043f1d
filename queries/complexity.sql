-- title:       Complexity
-- question:    Which functions take the most different ways?
-- group:       Inlining and call structure
-- description: Functions by the number of different things that their calls did: distinct sets of functions
--              that one call called (modes), and distinct sequences of them (calls of the same callee in a row
--              count once).
-- advice:      Many modes, none of them common, mean a function to be split by them. Many sequences of few
--              modes are loops over items of several kinds. One sequence with nearly all calls is a fast path:
--              put it first, move the rest out of line. Where the function has several call sites, each may
--              use a mode of its own (callers). A function with one call has one sequence, however long.
--              Interpreters' loops are complex by nature. Modes are counted in the commonest sequences.
-- source:      distinct call sequences; compare cyclomatic complexity (McCabe 1976), which counts paths
--              that might be taken
-- report:      overview
-- param:       min_modes = 2 | modes | leave out functions with fewer
-- param:       min_sequences = 2 | sequences | leave out functions with fewer
-- param:       shown = 50 | rows | name the commonest sequence for this many rows
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      modes | modes | distinct sets of callees of one call
-- column:      sequences | sequences | distinct ones
-- column:      complete | 0 or 1 | 0 = there were more than could be kept
-- column:      calls | calls | calls of the function
-- column:      sites | sites | distinct places it is called from
-- column:      commonest_share | % | share of the calls with the commonest sequence
-- column:      length | callees | in the commonest sequence
-- column:      commonest | stack | the commonest sequence of calls, first to last; the text is cut after 64 callees
-- column:      example_call | id | calls.id of a call with it
WITH RECURSIVE
     params AS (SELECT coalesce(:min_modes, 2) AS min_modes, coalesce(:min_sequences, 2) AS min_sequences,
                       coalesce(:shown, 50) AS shown),
     several AS MATERIALIZED (
       SELECT s.function_id, s.sequences, s.sequences_complete, s.calls
       FROM function_stats s CROSS JOIN params WHERE s.sequences >= params.min_sequences),
     ids(function_id, rank, id, rest) AS (
       SELECT q.function_id, q.rank, 0, substr(q.sequence, 1, 4000) || CASE q.sequence WHEN '' THEN '' ELSE ' ' END
       FROM several JOIN call_sequences q ON q.function_id = several.function_id
       UNION ALL
       SELECT function_id, rank, CAST(substr(rest, 1, instr(rest, ' ') - 1) AS INTEGER),
              substr(rest, instr(rest, ' ') + 1)
       FROM ids WHERE instr(rest, ' ') > 0),
     sets AS (
       SELECT function_id, rank, group_concat(id) AS callees
       FROM (SELECT DISTINCT function_id, rank, id FROM ids ORDER BY function_id, rank, id)
       GROUP BY function_id, rank),
     modes AS (SELECT function_id, count(DISTINCT callees) AS modes FROM sets GROUP BY function_id),
     complex AS MATERIALIZED (
       SELECT several.*, modes.modes,
              row_number() OVER (ORDER BY modes.modes DESC, several.sequences DESC, several.calls DESC,
                                          several.function_id) AS place
       FROM several JOIN modes ON modes.function_id = several.function_id CROSS JOIN params
       WHERE modes.modes >= params.min_modes),
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
       c.modes,
       c.sequences,
       c.sequences_complete AS complete,
       c.calls,
       (SELECT count(DISTINCT coalesce(e.site_id, 0)) FROM edges e WHERE e.callee_id = c.function_id) AS sites,
       round(100.0 * q.calls / c.calls, 1) AS commonest_share,
       q.length,
       CASE split.text WHEN '' THEN '(no calls)' ELSE split.text END AS commonest,
       q.example_call_id AS example_call
FROM complex c
     JOIN function_details f ON f.id = c.function_id
     LEFT JOIN call_sequences q ON q.function_id = c.function_id AND q.rank = 1
     LEFT JOIN split ON split.function_id = c.function_id AND split.rest = ''
ORDER BY c.place
