-- title:       Failing calls
-- question:    Which calls failed, and which callers ignored it?
-- group:       Arguments and results
-- description: Functions whose result now and then says that they failed: a negative number, NULL,
--              false, or other than the usual 0. A row has errno as the call left it, and says
--              whether the caller failed then, too: if not, it handled the failure or ignored it.
--              The surest failures (errors by number) come first; among them, those that a caller
--              did not pass on, the rarest first.
-- advice:      Look at a failure that its caller did not pass on: `fisql stack ID` with
--              first_dropped shows its stack with arguments. A caller that tries something else, or
--              for which the failure is an answer (a file that need not be there), is right not to.
--              Left out are functions that only hand on a callee's failure to callers that pass it
--              on, results that report a failure in more than max_share of the calls, comparisons,
--              functions whose name says that they look something up or ask (find, next, is, has),
--              functions that call nothing, and results that most callers do not pass on, unless
--              they are negative where 0 is usual, or set errno.
-- source:      unchecked return values: CWE-252; Gunawi et al., EIO: Error Handling is Occasionally Correct, FAST 2008
-- report:      findings
-- needs:       values calls
-- param:       min_failures = 1 | calls | leave out functions that failed less often
-- param:       max_share = 20 | % | a result in more of the calls is usual, no failure
-- param:       max_values = 8 | values | numbers of more different negative (or positive) values are amounts
-- param:       result = all | all/negative/null/false/zero/positive | which results to take
-- param:       names = 0 | - | 1 = also functions whose names say that they look something up, ask or compare
-- param:       stacks = 20 | rows | give the stacks for this many rows
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      result | - | what it returned then, with the number of calls
-- column:      failures | calls | that returned this
-- column:      calls | calls | whose result is known
-- column:      share | % | of these that failed
-- column:      passed_on | calls | failures after which the caller failed, too
-- column:      dropped | calls | failures after which the caller did not
-- column:      open | calls | failures whose caller returned nothing, or it is not known
-- column:      dropped_by | function | the caller that did so most often
-- column:      errno | - | values of errno after such calls, the commonest first
-- column:      first_call | id | calls.id of the first failure
-- column:      first_dropped | id | calls.id of the first one after which the caller did not fail
-- column:      call | - | this call (or the first failure) with its arguments
-- column:      stack | stack | its callers, outermost first
WITH RECURSIVE
     params AS (SELECT coalesce(:min_failures, 1) AS min_failures, coalesce(:max_share, 20) AS max_share,
                       coalesce(:max_values, 8) AS max_values, coalesce(:result, 'all') AS result,
                       coalesce(:names, 0) AS names, coalesce(:stacks, 20) AS stacks),
     lookups(pattern) AS ( -- no answer is an answer
       VALUES ('*[Ff]ind*'), ('*[Ll]ookup*'), ('*[Ll]ook_up*'), ('*[Ss]earch*'), ('*[Nn]ext*'), ('*[Pp]rev*'), ('*[Pp]eek*'),
              ('*[Ff]irst*'), ('*[Ll]ast*'), ('*[Ff]etch*'), ('get[A-Z_]*'), ('*_get_*'), ('*_get'), ('*::get*'), ('*[Mm]atch*'),
              ('*[Ii]ter*'),
              ('*[Pp]op'), ('*_pop_*'), ('*[Pp]arent*'), ('*[Ee]xist*'), ('*[Cc]ontain*'), ('*[Cc]ache*'),
              ('is[A-Z_]*'), ('*_is_*'), ('*::is*'), ('*[a-z]Is[A-Z]*'), ('has[A-Z_]*'), ('*_has_*'), ('*::has*'),
              ('can[A-Z_]*'), ('*_can_*'), ('*::can*'), ('*[Ss]hould*'), ('*[Nn]eed*'), ('*[Ee]qual*'), ('*[Ee]mpty*'),
              ('*[Tt]ry*'), ('*[Cc]heck*'), ('*[Tt]est*')),
     comparisons(pattern) AS (VALUES ('*[Cc]mp*'), ('*[Cc]ompar*'), ('*[Cc]ollat*'), ('*[Oo]rder*'), ('*[Ll]ess*'),
                              ('*[Dd]iff*')),
     outcomes AS MATERIALIZED (
       SELECT function_id, class, sum(calls) AS calls, sum(same_calls) AS same_calls, min(first_call_id) AS first_call_id
       FROM result_flows GROUP BY function_id, class),
     results AS MATERIALIZED (
       SELECT o.function_id, p.id AS parameter_id, p.kind, sum(o.calls) AS calls,
              coalesce(sum(o.calls) FILTER (WHERE o.class = 'negative'), 0) AS negative,
              coalesce(sum(o.calls) FILTER (WHERE o.class = 'zero'), 0) AS zero,
              coalesce(sum(o.calls) FILTER (WHERE o.class = 'positive'), 0) AS positive
       FROM outcomes o JOIN parameters p ON p.function_id = o.function_id AND p.position = 0
            JOIN function_stats s ON s.function_id = o.function_id -- own code
       GROUP BY o.function_id),
     usual AS MATERIALIZED ( -- which class besides negative, null and false says that a function failed
       SELECT r.*, CASE WHEN 100 * (positive + negative) <= params.max_share * calls THEN 'positive'
                        WHEN 100 * (zero + negative) <= params.max_share * calls THEN 'zero' END AS other
       FROM results r CROSS JOIN params),
     numbers AS MATERIALIZED ( -- of results that are numbers, which and how many different ones were seen
       SELECT u.function_id, count(*) FILTER (WHERE k.value < 0) AS negative_values,
              coalesce(sum(k.calls) FILTER (WHERE k.value < 0), 0) AS negative_calls,
              count(*) FILTER (WHERE k.value > 0) AS positive_values,
              coalesce(sum(k.calls) FILTER (WHERE k.value > 0), 0) AS positive_calls,
              min(k.value) AS least, max(k.value) AS greatest
       FROM usual u CROSS JOIN params CROSS JOIN value_counts k ON k.parameter_id = u.parameter_id
       WHERE (u.other IS NOT NULL OR u.negative > 0 AND 100 * u.negative <= params.max_share * u.calls)
         AND u.kind IN ('signed', 'unsigned', 'enum', 'bool') AND typeof(k.value) = 'integer' GROUP BY u.function_id),
     named AS MATERIALIZED (
       SELECT u.function_id,
              EXISTS (SELECT 1 FROM lookups l WHERE f.name GLOB l.pattern) AS asks,
              EXISTS (SELECT 1 FROM comparisons x WHERE f.name GLOB x.pattern)
              OR coalesce((SELECT a.type = b.type AND a.kind IN ('pointer', 'text', 'struct') FROM parameters a JOIN parameters b
                           ON b.function_id = a.function_id AND b.position = a.position + 1
                           WHERE a.function_id = f.id AND a.position BETWEEN 1 AND 2 ORDER BY a.type = b.type DESC LIMIT 1), 0)
              AS compares,
              coalesce(f.call_targets, 0) = 0 AND s.child_calls = 0 AS leaf
       FROM usual u JOIN functions f ON f.id = u.function_id JOIN function_stats s ON s.function_id = f.id),
     failing AS MATERIALIZED (
       SELECT o.function_id, o.class, o.calls AS failures, u.calls, o.first_call_id, u.parameter_id,
              CASE WHEN o.class IN ('negative', 'positive') AND u.other = 'positive' THEN 1
                   WHEN o.class = 'negative' THEN 2 WHEN o.class = 'null' THEN 3 ELSE 4 END AS doubt
       FROM outcomes o JOIN usual u ON u.function_id = o.function_id CROSS JOIN params
            JOIN named ON named.function_id = o.function_id LEFT JOIN numbers n ON n.function_id = o.function_id
       WHERE o.calls >= params.min_failures AND 100 * o.calls <= params.max_share * u.calls
         AND params.result IN ('all', o.class)
         AND CASE o.class
               WHEN 'negative' THEN -- codes, not amounts; both signs: a comparison
                 u.kind IN ('signed', 'enum') AND n.negative_values <= params.max_values AND n.negative_calls = o.calls
                 AND (n.least >= -4095 OR n.negative_values = 1)
                 AND (params.names OR NOT (named.compares AND u.positive > 0))
                 AND (u.other IS 'positive' OR NOT named.leaf AND (params.names OR NOT named.asks)) -- a place, or none
               WHEN 'null' THEN u.kind IN ('pointer', 'text', 'function') AND NOT named.leaf AND (params.names OR NOT named.asks)
               WHEN 'false' THEN NOT named.leaf AND (params.names OR NOT named.asks AND NOT named.compares)
               WHEN 'positive' THEN -- 1 alone is the answer yes
                 u.kind IN ('signed', 'enum') AND u.other = 'positive' AND n.positive_values <= params.max_values
                 AND n.positive_calls = o.calls AND (n.greatest > 1 OR u.kind = 'enum') AND NOT named.leaf
                 AND (params.names OR NOT named.asks AND NOT named.compares)
               WHEN 'zero' THEN -- of functions that return 1 where all is well
                 u.kind = 'signed' AND u.other = 'zero' AND n.positive_values = 1 AND n.greatest = 1 AND NOT named.leaf
                 AND (params.names OR NOT named.asks AND NOT named.compares)
               ELSE 0 END),
     flows AS MATERIALIZED (
       SELECT x.function_id, x.class, r.caller_id, r.calls, r.same_calls, r.first_call_id,
              CASE WHEN r.caller_class = 'none' THEN 'open'
                   WHEN r.caller_class IN ('negative', 'null', 'false') OR r.caller_class IS c.other
                        AND (c.other = 'positive' OR n.greatest = 1)
                        OR r.class = 'negative' AND r.same_calls = r.calls THEN 'passed on'
                   WHEN r.class = 'positive' AND r.same_calls = r.calls THEN 'the same' -- an error, if others pass on errors
                   ELSE 'dropped' END AS then_what
       FROM failing x JOIN result_flows r ON r.function_id = x.function_id AND r.class = x.class
            LEFT JOIN usual c ON c.function_id = r.caller_id LEFT JOIN numbers n ON n.function_id = r.caller_id),
     told AS MATERIALIZED (
       SELECT *, CASE WHEN then_what <> 'the same' THEN then_what
                      WHEN max(then_what = 'passed on') OVER (PARTITION BY function_id, class) THEN 'passed on'
                      ELSE 'dropped' END AS told
       FROM flows),
     sums AS MATERIALIZED (
       SELECT function_id, class, sum(same_calls) AS same_calls,
              coalesce(sum(calls) FILTER (WHERE told = 'passed on'), 0) AS passed_on,
              coalesce(sum(calls) FILTER (WHERE told = 'dropped'), 0) AS dropped,
              coalesce(sum(calls) FILTER (WHERE told = 'open'), 0) AS open,
              min(first_call_id) FILTER (WHERE told = 'dropped') AS first_dropped
       FROM told GROUP BY function_id, class),
     handed AS MATERIALIZED ( -- failures that came from a callee which failed so, too
       SELECT w.caller_id AS function_id, w.class, sum(w.same_calls) AS calls
       FROM flows w JOIN failing x ON x.function_id = w.caller_id AND x.class = w.class
       WHERE w.caller_id <> w.function_id GROUP BY w.caller_id, w.class),
     errors AS MATERIALIZED (
       SELECT x.function_id, group_concat(coalesce(e.name, k.value) || ' (' || k.calls || ')', ', ') AS text
       FROM (SELECT DISTINCT function_id FROM failing) x
            JOIN parameters p ON p.function_id = x.function_id AND p.position = 31
            JOIN value_counts k ON k.parameter_id = p.id AND k.rank <= 3 AND k.calls > 0 AND k.value <> 0
            LEFT JOIN enumerators e ON e.enum_id = p.enum_id AND e.value = k.value
       GROUP BY x.function_id),
     chosen AS MATERIALIZED (
       SELECT x.*, t.passed_on, t.dropped, t.open, t.first_dropped,
              CASE WHEN x.class IN ('negative', 'null') THEN e.text END AS errno,
              coalesce(t.first_dropped, x.first_call_id) AS shown_call,
              row_number() OVER (ORDER BY CASE WHEN e.text IS NOT NULL AND x.class IN ('negative', 'null') THEN 1
                                 ELSE x.doubt END,
                                 t.dropped > 0 DESC, 1.0 * x.failures / x.calls, x.function_id, x.class) AS place
       FROM failing x JOIN sums t ON t.function_id = x.function_id AND t.class = x.class
            LEFT JOIN errors e ON e.function_id = x.function_id
            LEFT JOIN handed h ON h.function_id = x.function_id AND h.class = x.class
       WHERE (t.dropped > 0 OR coalesce(h.calls, 0) < x.failures) -- it only hands on what is given for its callee
         -- nothing was asked for: free(), by the name of realloc()
         AND NOT (x.class = 'null' AND EXISTS (SELECT 1 FROM parameters a
                                                    JOIN call_values v ON v.id = x.first_call_id * 32 + a.position
                                               WHERE a.function_id = x.function_id AND lower(a.name) GLOB '*size*'
                                                 AND v.value = 0))
         AND (x.doubt = 1 AND x.class = 'negative' OR e.text IS NOT NULL AND x.class IN ('negative', 'null')
          OR x.class = 'positive' AND h.calls > 0 AND 20 * x.failures <= x.calls -- what it hands on is a failure
          OR t.passed_on > 0 AND t.passed_on >= t.dropped -- most callers take it for a failure
             AND (x.class IN ('negative', 'null') OR t.same_calls > 0))),
     walk(place, frame_id, text) AS (
       SELECT x.place, fr.parent_id, f.name
       FROM chosen x CROSS JOIN params JOIN frames fr ON fr.id = (SELECT c.frame_id FROM calls c WHERE c.id = x.shown_call)
            JOIN functions f ON f.id = fr.function_id
       WHERE x.place <= params.stacks
       UNION ALL
       SELECT w.place, fr.parent_id, f.name || ' => ' || w.text
       FROM walk w JOIN frames fr ON fr.id = w.frame_id JOIN functions f ON f.id = fr.function_id
       WHERE coalesce(fr.parent_id, 0) < fr.id),
     stacks AS MATERIALIZED (SELECT place, text FROM walk WHERE frame_id IS NULL)
SELECT f.name AS function,
       f.location,
       (SELECT group_concat(text || ' (' || calls || ')', ', ')
        FROM (SELECT t.text, k.calls FROM value_counts k
                     JOIN value_count_texts t ON t.parameter_id = k.parameter_id AND t.rank = k.rank
              WHERE k.parameter_id = x.parameter_id AND k.calls > 0
                AND CASE x.class WHEN 'negative' THEN k.value < 0 WHEN 'positive' THEN k.value > 0 ELSE k.value = 0 END
              ORDER BY k.rank LIMIT 3)) AS result,
       x.failures,
       x.calls,
       round(100.0 * x.failures / x.calls, 2) AS share,
       x.passed_on,
       x.dropped,
       x.open,
       (SELECT d.name FROM told w JOIN functions d ON d.id = w.caller_id
        WHERE w.function_id = x.function_id AND w.class = x.class AND w.told = 'dropped'
        GROUP BY w.caller_id ORDER BY sum(w.calls) DESC, w.caller_id LIMIT 1) AS dropped_by,
       x.errno,
       x.first_call_id AS first_call,
       x.first_dropped,
       CASE WHEN x.place <= params.stacks THEN (SELECT t.text FROM call_text t WHERE t.call_id = x.shown_call) END AS call,
       (SELECT text FROM stacks s WHERE s.place = x.place) AS stack
FROM chosen x
     CROSS JOIN params
     JOIN function_details f ON f.id = x.function_id
ORDER BY x.place
