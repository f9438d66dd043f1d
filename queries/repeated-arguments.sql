-- title:       Repeated arguments
-- question:    Which calls only repeat earlier ones?
-- group:       Arguments and results
-- description: What a cache of results would save: functions that are called again with arguments
--              that an earlier call of the same thread had, and return the same. They never
--              returned anything else for these arguments, have several results, and take longer
--              than a look in a cache does.
-- advice:      Remember results by arguments, or hoist the call out of the loop that repeats it.
--              The advice is wrong if the call is made for its effect, or depends on more than its
--              arguments: memory behind a pointer, globals, files. Look at an example and at the
--              code first. Left out are calls that wait, because they communicate, and functions
--              that take pointers to what they may change (pointers = 1 takes them).
-- source:      memoization: Michie, "Memo" Functions and Machine Learning, Nature 1968; adaptive sampling of the
--              sets of arguments where there are many (Wegman 1984, Flajolet 1990)
-- report:      findings
-- needs:       values calls
-- param:       min_same = 10 | calls | leave out functions with fewer such calls
-- param:       min_repeated = 50 | % | least share of the calls that repeat arguments and results
-- param:       min_ns = 100 | ns a call | leave out functions whose repeated calls take less (a look in a cache takes 50), except recursive ones
-- param:       min_share = 0.1 | % | leave out those that would save less of the run's processor time
-- param:       max_different = 0 | % | most of the repeated calls that returned something else
-- param:       pointers = 0 | - | 1 = also functions with pointers to data that is not const
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      calls | calls | all of whose arguments are known
-- column:      distinct_arguments | - | different sets of arguments; of very many an estimate
-- column:      same_calls | calls | that repeated earlier arguments and got the same result
-- column:      different_calls | calls | that repeated earlier arguments and got another
-- column:      share | % | same_calls of calls
-- column:      saved_ns | ns | processor time of the same_calls
-- column:      saved | % | of the run's processor time
-- column:      saved_calls | calls | made within them
-- column:      saved_per_call_ns | ns a call | of one of them
-- column:      commonest_calls | calls | with the commonest arguments
-- column:      example | - | a call with these
-- column:      example_call | id | calls.id of the first such call
-- column:      exact | - | 1 = counted, 0 = estimated from a sample of the arguments
WITH params AS (SELECT coalesce(:min_same, 10) AS min_same, coalesce(:min_repeated, 50) AS min_repeated,
                       coalesce(:min_ns, 100) AS min_ns, coalesce(:min_share, 0.1) AS min_share,
                       coalesce(:max_different, 0) AS max_different,
                       coalesce(:pointers, 0) AS pointers),
     whole AS (SELECT sum(self_cpu_ns) AS cpu_ns FROM function_stats),
     repeating AS MATERIALIZED (
       SELECT r.*, whole.cpu_ns AS whole_ns
       FROM argument_repeats r CROSS JOIN params CROSS JOIN whole
            JOIN function_stats s ON s.function_id = r.function_id
            JOIN parameters p ON p.function_id = r.function_id AND p.position = 0
            JOIN parameter_stats v ON v.parameter_id = p.id
       WHERE r.same_calls >= params.min_same AND 100 * r.same_calls >= params.min_repeated * r.calls
         AND 100 * r.different_calls <= params.max_different * r.repeated_calls
         AND 10 * r.unknown_calls <= r.calls
         -- of a recursive function what is within a repeated call is saved with it
         AND (r.saved_ns >= params.min_ns * r.same_calls OR 2 * s.recursive_calls >= s.calls)
         AND 100 * r.saved_ns >= params.min_share * whole.cpu_ns
         AND v.distinct_values >= 2 -- always the same says that all is well, not what was computed
         AND 10 * s.wait_ns <= s.total_ns
         AND (params.pointers OR NOT EXISTS (
                SELECT 1 FROM parameters a
                WHERE a.function_id = r.function_id AND a.position BETWEEN 1 AND 30
                  AND coalesce(a.kind, 'pointer') IN ('pointer', 'function', 'text')
                    AND coalesce(a.type, '') NOT GLOB '*const *')))
SELECT f.name AS function,
       f.location,
       r.calls,
       r.tuples AS distinct_arguments,
       r.same_calls,
       r.different_calls,
       round(100.0 * r.same_calls / r.calls, 1) AS share,
       r.saved_ns,
       round(100.0 * r.saved_ns / nullif(r.whole_ns, 0), 1) AS saved,
       r.saved_calls,
       round(1.0 * r.saved_ns / r.same_calls, 1) AS saved_per_call_ns,
       r.commonest_calls,
       (SELECT t.text FROM call_text t WHERE t.call_id = r.example_call_id) AS example,
       r.example_call_id AS example_call,
       r.sampled = 1 AS exact
FROM repeating r JOIN function_details f ON f.id = r.function_id
ORDER BY r.saved_ns DESC, r.function_id
