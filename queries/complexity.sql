-- title:       Complexity
-- question:    Which functions take the most different paths?
-- group:       Inlining and call structure
-- description: Functions by the number of different things that their calls did: distinct sets of
--              functions that a call called (modes). A call through a pointer counts as one callee,
--              accessors as none.
-- advice:      Many modes, none of them common, mean a function to be split by them. If site_modes
--              is as high as sites, each place that calls the function makes it do something else:
--              give each a function of its own. Many sequences of few modes are loops over items of
--              several kinds. Interpreters' loops are complex by nature. A function with one call
--              has one sequence, however long. Modes are counted in the commonest sequences (calls
--              of the same callee in a row count once).
-- source:      distinct call sequences; compare cyclomatic complexity (McCabe 1976), which counts paths
--              that might be taken
-- report:      overview
-- hides:       min_modes=3: they have fewer than five modes
-- param:       min_modes = 5 | modes | leave out functions with fewer: two are one if
-- param:       min_sequences = 2 | sequences | leave out functions with fewer
-- param:       max_share = 80 | % | leave out functions if more of their calls took the commonest mode
-- param:       min_size = 130 | bytes | with the hooks: do not count callees with less code that call nothing
-- param:       shown = 50 | rows | name the commonest sequence for this many rows
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      modes | modes | distinct sets of callees of one call
-- column:      sequences | sequences | distinct ones
-- column:      complete | 0 or 1 | 0 = there were more than could be kept
-- column:      calls | calls | calls of the function
-- column:      sites | sites | distinct places it is called from
-- column:      site_modes | modes | distinct sets of callees that it called from one place each
-- column:      commonest_share | % | share of the calls with the commonest mode
-- column:      length | callees | in the commonest sequence of that
-- column:      commonest | stack | that sequence, first to last, accessors left out; cut after 64 callees
-- column:      example_call | id | calls.id of a call with it
WITH RECURSIVE
     params AS (SELECT coalesce(:min_modes, 5) AS min_modes, coalesce(:min_sequences, 2) AS min_sequences,
                       coalesce(:max_share, 80) AS max_share, coalesce(:min_size, 130) AS min_size,
                       coalesce(:shown, 50) AS shown),
     several AS MATERIALIZED (
       SELECT s.function_id, s.sequences, s.sequences_complete, s.calls
       FROM function_stats s CROSS JOIN params WHERE s.sequences >= params.min_sequences),
     calling AS MATERIALIZED ( -- functions that make calls, themselves or through a pointer
       SELECT DISTINCT caller_id FROM edge_details WHERE caller_id IS NOT NULL AND NOT inlined),
     callees AS MATERIALIZED ( -- what each callee counts as: NULL an accessor, 0 whom a pointer reached, else itself
       SELECT e.caller_id AS function_id, e.callee_id,
              CASE WHEN f.call_targets = 0 AND f.size < params.min_size
                     AND e.callee_id NOT IN (SELECT caller_id FROM calling) THEN NULL
                   WHEN min(e.indirect = 1 AND NOT e.inlined) = 1 THEN 0 ELSE e.callee_id END AS counts_as
       FROM several JOIN edge_details e ON e.caller_id = several.function_id
            JOIN functions f ON f.id = e.callee_id CROSS JOIN params
       GROUP BY e.caller_id, e.callee_id),
     ids(function_id, rank, place, id, rest) AS (
       SELECT q.function_id, q.rank, 0, NULL, substr(q.sequence, 1, 4000) || CASE q.sequence WHEN '' THEN '' ELSE ' ' END
       FROM several JOIN call_sequences q ON q.function_id = several.function_id
       UNION ALL
       SELECT function_id, rank, place + 1, CAST(substr(rest, 1, instr(rest, ' ') - 1) AS INTEGER),
              substr(rest, instr(rest, ' ') + 1)
       FROM ids WHERE instr(rest, ' ') > 0),
     counted AS MATERIALIZED (
       SELECT ids.function_id, ids.rank, ids.place, c.counts_as AS id
       FROM ids LEFT JOIN callees c ON c.function_id = ids.function_id AND c.callee_id = ids.id),
     sets AS MATERIALIZED (
       SELECT function_id, rank, coalesce(group_concat(id), '') AS callees
       FROM (SELECT DISTINCT function_id, rank, id FROM counted ORDER BY function_id, rank, id)
       GROUP BY function_id, rank),
     modes AS MATERIALIZED (
       SELECT sets.function_id, sum(q.calls) AS calls, min(sets.rank) AS rank,
              count(*) OVER (PARTITION BY sets.function_id) AS modes,
              row_number() OVER (PARTITION BY sets.function_id ORDER BY sum(q.calls) DESC, min(sets.rank)) AS choice
       FROM sets JOIN call_sequences q ON q.function_id = sets.function_id AND q.rank = sets.rank
       GROUP BY sets.function_id, sets.callees),
     complex AS MATERIALIZED (
       SELECT several.*, m.modes, m.calls AS mode_calls, m.rank,
              row_number() OVER (ORDER BY m.modes DESC, several.calls - m.calls DESC, several.sequences DESC,
                                          several.function_id) AS place
       FROM several JOIN modes m ON m.function_id = several.function_id AND m.choice = 1 CROSS JOIN params
       WHERE m.modes >= params.min_modes AND 100 * m.calls <= params.max_share * several.calls),
     by_site AS (
       SELECT function_id, site_id, coalesce(group_concat(id), '') AS callees
       FROM (SELECT DISTINCT c.function_id, fr.site_id, k.counts_as AS id
             FROM (SELECT caller_id AS function_id, caller_site_id AS site_id, callee_id FROM context_edges
                   UNION ALL
                   SELECT callee_id, site_id, NULL FROM context_edges) fr
                  JOIN complex c ON c.function_id = fr.function_id
                  LEFT JOIN callees k ON k.function_id = c.function_id AND k.callee_id = fr.callee_id
             ORDER BY c.function_id, fr.site_id, id)
       GROUP BY function_id, site_id),
     site_modes AS MATERIALIZED (
       SELECT function_id, count(*) AS sites, count(DISTINCT callees) AS modes FROM by_site GROUP BY function_id),
     -- The shown sequence: what repeats is shown once, then how often.
     shown AS MATERIALIZED (
       SELECT c.function_id, row_number() OVER (PARTITION BY c.function_id ORDER BY k.place) AS place, k.id
       FROM complex c CROSS JOIN params JOIN counted k ON k.function_id = c.function_id AND k.rank = c.rank
       WHERE c.place <= params.shown AND k.place > 0 AND k.id IS NOT NULL),
     lengths(length) AS (SELECT 1 UNION ALL SELECT length + 1 FROM lengths WHERE length < 12),
     compared AS (
       SELECT a.function_id, a.place, l.length, CASE WHEN b.id IS NOT a.id THEN a.place END AS differs
       FROM shown a CROSS JOIN lengths l
            LEFT JOIN shown b ON b.function_id = a.function_id AND b.place = a.place + l.length),
     repeated AS (
       SELECT function_id, place, length,
              1 + (min(differs) OVER (PARTITION BY function_id, length ORDER BY place
                                      ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) - place) / length AS times
       FROM compared),
     groups AS MATERIALIZED (
       SELECT function_id, place, length, times,
              row_number() OVER (PARTITION BY function_id, place ORDER BY length * times DESC, length) AS choice
       FROM repeated WHERE times > 1 OR length = 1),
     texts(function_id, place, text) AS (
       SELECT function_id, 1, '' FROM complex CROSS JOIN params WHERE complex.place <= params.shown
       UNION ALL
       SELECT t.function_id, t.place + g.length * g.times,
              t.text || CASE t.text WHEN '' THEN '' ELSE ' => ' END ||
              (SELECT group_concat(name, ' => ')
               FROM (SELECT CASE s.id WHEN 0 THEN '(through a pointer)' ELSE f.name END AS name
                     FROM shown s LEFT JOIN functions f ON f.id = s.id
                     WHERE s.function_id = t.function_id AND s.place BETWEEN t.place AND t.place + g.length - 1
                     ORDER BY s.place)) ||
              CASE WHEN g.times = 1 THEN '' WHEN g.length = 1 THEN ' => (' || g.times || ' times)'
                   ELSE ' => (these ' || g.length || ': ' || g.times || ' times)' END
       FROM texts t JOIN groups g ON g.function_id = t.function_id AND g.place = t.place AND g.choice = 1),
     written AS MATERIALIZED (
       SELECT function_id, text, row_number() OVER (PARTITION BY function_id ORDER BY place DESC) AS choice FROM texts)
SELECT f.name AS function,
       f.location,
       c.modes,
       c.sequences,
       c.sequences_complete AS complete,
       c.calls,
       site_modes.sites,
       site_modes.modes AS site_modes,
       round(100.0 * c.mode_calls / c.calls, 1) AS commonest_share,
       q.length,
       CASE written.text WHEN '' THEN '(no calls)' ELSE written.text END AS commonest,
       q.example_call_id AS example_call
FROM complex c
     JOIN function_details f ON f.id = c.function_id
     JOIN site_modes ON site_modes.function_id = c.function_id
     JOIN call_sequences q ON q.function_id = c.function_id AND q.rank = c.rank
     LEFT JOIN written ON written.function_id = c.function_id AND written.choice = 1
ORDER BY c.place
