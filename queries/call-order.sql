-- title:       Call order
-- question:    Which functions always come after another?
-- group:       Inlining and call structure
-- description: Functions that were called only after the same other function: an order contract, which each caller has
--              to know. The first comes directly before, or somewhere before, within one call of each of several
--              callers (calls of one function in a row count once). Or it is called once in each thread, or once in
--              the run, before all functions of its module whose names begin or end alike (log_open, log_write). If
--              almost all callers or threads keep an order, broken names those that do not.
-- advice:      Look at broken first: either there is no such order, or that caller is wrong. If callers must keep an
--              order, put both calls into one function. With one caller it is encapsulated already:
--              -p min_callers=1 shows those, too. An order that this run happened to have is no contract: check
--              whether the second needs what the first did. Destructors, whose order the compiler keeps, and
--              functions as small as those that only hand out a value are left out. So are callers that reach the first
--              through another function: they neither keep an order nor break it.
-- source:      dominators (Prosser 1959) in the graph of which callee followed which within a caller; breaches of what most
--              callers keep: Engler, Chen, Hallem, Chou & Chelf 2001, Bugs as Deviant Behavior
-- report:      findings
-- hides:       all=1: another function comes before as well; min_strength=0: most callers of the first do without the second
-- param:       min_times = 2 | times | leave out pairs seen less often
-- param:       min_callers = 2 | functions | leave out pairs with fewer callers, or fewer threads
-- param:       min_size = 80 | bytes | leave out pairs with a function of less code
-- param:       tolerance = 20 | % | callers, or threads, that may break an order that the others keep; if one did,
--              so many of the first's callers may do without the second
-- param:       min_strength = 1 | - | leave out weaker pairs: see the column strength
-- param:       all = 0 | 0 or 1 | 1 = each function that always comes before, 0 = the one that belongs to it most
-- column:      function | - | the function that comes second
-- column:      location | - | where it is defined
-- column:      after | function | the function that always comes before it
-- column:      after_location | - | where that is defined
-- column:      how | - | directly or before: within each call of a caller; thread: once in each thread; run: once in the run
-- column:      times | times | the second came after the first
-- column:      callers | functions | distinct callers in which it did; of a thread's or the run's order, all of them
-- column:      strength | - | callers that keep the order, times the part that they are of the first's callers; or threads
-- column:      encapsulated | - | yes (one caller), or no (several)
-- column:      caller | - | one of the callers
-- column:      example_call | id | calls.id of a call of that caller; of a thread's or the run's order, the second's first call
-- column:      broken | - | callers, or a thread, that called the second without the first before it; NULL = none
-- column:      broken_call | id | calls.id of the call in which one of them did so; of a thread the second's first call
WITH RECURSIVE
     params AS (SELECT coalesce(:min_times, 2) AS min_times, coalesce(:min_callers, 2) AS min_callers,
                       coalesce(:min_size, 80) AS min_size, coalesce(:tolerance, 20) AS tolerance,
                       coalesce(:min_strength, 1) AS min_strength, coalesce(:all, 0) AS every),
     here AS MATERIALIZED ( -- callees of callers
       SELECT caller_id, callee_id, sum(count) AS times, min(example_call_id) AS call_id,
              max(CASE previous_id WHEN 0 THEN example_call_id END) AS leading_call_id, max(previous_id = 0) AS leads
       FROM callee_transitions GROUP BY callee_id, caller_id),
     called AS MATERIALIZED (
       SELECT h.callee_id, count(*) AS callers, sum(h.times) AS times, s.root_calls, f.name GLOB '*~*' AS destructor
       FROM here h JOIN functions f ON f.id = h.callee_id JOIN function_stats s ON s.function_id = h.callee_id
            CROSS JOIN params
       WHERE coalesce(f.size, params.min_size) >= params.min_size
       GROUP BY h.callee_id),
     passed AS MATERIALIZED (SELECT DISTINCT through_id, callee_id FROM tail_calls), -- what the first one ends by calling:
     jumped AS MATERIALIZED (SELECT DISTINCT callee_id FROM tail_calls),             -- the callers do not know of it
     pairs AS MATERIALIZED ( -- that can be one: few callers begin with the second, or know the second alone
       SELECT a.callee_id AS second_id, b.callee_id AS first_id, s.callers, f.callers AS first_callers
       FROM called s CROSS JOIN params JOIN here a ON a.callee_id = s.callee_id AND NOT a.leads
            JOIN here b ON b.caller_id = a.caller_id AND b.callee_id <> a.callee_id
            JOIN called f ON f.callee_id = b.callee_id
       WHERE s.root_calls = 0 AND s.callers >= params.min_callers AND s.times >= params.min_times
         AND NOT s.destructor AND NOT f.destructor
       GROUP BY s.callee_id, b.callee_id
       HAVING count(*) >= params.min_callers AND 100 * (s.callers - count(*)) <= params.tolerance * s.callers
          AND 1.0 * count(*) * count(*) >= params.min_strength * f.callers
          AND NOT EXISTS (SELECT 1 FROM passed p WHERE p.through_id = b.callee_id AND p.callee_id = s.callee_id)
          AND b.callee_id NOT IN (SELECT callee_id FROM jumped)
          AND NOT EXISTS ( -- nor of what it jumps to through a pointer
            SELECT 1 FROM edges e CROSS JOIN edges g ON g.callee_id = s.callee_id AND g.site_id = e.site_id
                                                        AND g.caller_id IS e.caller_id
                   JOIN sites i ON i.id = e.site_id
            WHERE e.callee_id = b.callee_id AND i.module_id IN (SELECT id FROM plain_modules))),
     back(second_id, first_id, caller_id, node_id) AS ( -- from the second one towards the call's begin, but not past the first
       SELECT p.second_id, p.first_id, a.caller_id, p.second_id
       FROM pairs p CROSS JOIN here a ON a.callee_id = p.second_id AND NOT a.leads
       UNION
       SELECT b.second_id, b.first_id, b.caller_id, t.previous_id
       FROM back b CROSS JOIN callee_transitions t ON t.callee_id = b.node_id AND t.caller_id = b.caller_id
                                                     AND t.previous_id <> b.first_id),
     walked AS MATERIALIZED (
       SELECT second_id, first_id, caller_id, max(node_id = 0) AS free, max(node_id NOT IN (0, second_id)) AS far
       FROM back GROUP BY second_id, first_id, caller_id),
     unclear AS MATERIALIZED ( -- a way that avoids the first may be pieced together from several calls: what whole calls did
       SELECT w.second_id, w.first_id, w.caller_id,
              count(q.rank) = s.sequences AND s.sequences_complete AND s.open = 0 AND max(q.length) <= 64 AS complete,
              min(CASE WHEN instr(q.list, ' ' || w.second_id || ' ') > 0 AND instr(
                         substr(q.list, 1, instr(q.list, ' ' || w.second_id || ' ')), ' ' || w.first_id || ' ') = 0
                       THEN q.example_call_id END) AS call_id
       FROM walked w JOIN function_stats s ON s.function_id = w.caller_id
            LEFT JOIN (SELECT function_id, rank, length, example_call_id, ' ' || sequence || ' ' AS list
                       FROM call_sequences) q ON q.function_id = w.caller_id
       WHERE w.free
       GROUP BY w.second_id, w.first_id, w.caller_id),
     kept AS MATERIALIZED (
       SELECT w.second_id, w.first_id, count(*) AS callers, sum(h.times) AS times, min(w.caller_id) AS caller_id,
              max(w.far) AS far
       FROM walked w JOIN here h ON h.callee_id = w.second_id AND h.caller_id = w.caller_id
            LEFT JOIN unclear u ON u.second_id = w.second_id AND u.first_id = w.first_id AND u.caller_id = w.caller_id
       WHERE NOT w.free OR u.complete AND u.call_id IS NULL
       GROUP BY w.second_id, w.first_id),
     missed AS MATERIALIZED ( -- callers that call the second, and not the first in each way to it
       SELECT p.second_id, p.first_id, h.caller_id,
              CASE WHEN NOT EXISTS (SELECT 1 FROM here o WHERE o.caller_id = h.caller_id AND o.callee_id = p.first_id)
                   THEN h.call_id
                   ELSE coalesce(h.leading_call_id, u.call_id) END AS call_id,
              EXISTS (SELECT 1 FROM edges e JOIN here o ON o.caller_id = e.caller_id AND o.callee_id = p.first_id
                      WHERE e.callee_id = h.caller_id)
              OR EXISTS (SELECT 1 FROM here x JOIN here o ON o.caller_id = x.callee_id AND o.callee_id = p.first_id
                         WHERE x.caller_id = h.caller_id AND x.callee_id <> p.second_id) AS elsewhere
       FROM kept k JOIN pairs p ON p.second_id = k.second_id AND p.first_id = k.first_id CROSS JOIN params
            JOIN here h ON h.callee_id = p.second_id
            LEFT JOIN walked w ON w.second_id = p.second_id AND w.first_id = p.first_id AND w.caller_id = h.caller_id
            LEFT JOIN unclear u ON u.second_id = p.second_id AND u.first_id = p.first_id AND u.caller_id = h.caller_id
       WHERE coalesce(w.free, 1) AND NOT coalesce(u.complete AND u.call_id IS NULL, 0)
         AND 100 * (p.callers - k.callers) <= params.tolerance * p.callers),
     broken AS MATERIALIZED (
       SELECT m.second_id, m.first_id, sum(m.call_id IS NULL AND NOT m.elsewhere) AS unknown,
              group_concat(CASE WHEN NOT m.elsewhere THEN f.name END, ', ') AS callers,
              min(CASE WHEN NOT m.elsewhere THEN m.call_id END) AS call_id
       FROM missed m JOIN functions f ON f.id = m.caller_id
       GROUP BY m.second_id, m.first_id),
     -- once in each thread, or in the run, before all others of its file whose names begin alike
     living AS MATERIALIZED ( -- threads whose life begins here: the first one of a forked process goes on with its parent's
       SELECT t.id, coalesce(t.name, '?') || ' (' || t.tid || ')' AS name
       FROM threads t LEFT JOIN processes p ON p.id = t.process_id AND p.origin = 'fork' AND p.pid = t.tid
       WHERE p.id IS NULL),
     lives AS MATERIALIZED (
       SELECT tf.thread_id, tf.function_id, tf.calls, tf.first_call_id
       FROM living CROSS JOIN thread_functions tf ON tf.thread_id = living.id),
     known AS MATERIALIZED (
       SELECT f.id, f.module_id, f.file_id, f.name, s.calls, s.callers, s.first_enter_ns, s.first_call_id,
              CASE WHEN s.root_calls = 0 AND s.open = 0 AND s.callers = 1 THEN s.last_exit_ns END AS last_exit_ns,
              length(rtrim(rtrim(f.name, '_'), 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789')) AS stem,
              length(f.name) - length(ltrim(f.name, 'abcdefghijklmnopqrstuvwxyz')) AS word,
              substr(f.name, 1, 3) AS head3, substr(f.name, -3) AS tail3
       FROM function_stats s JOIN functions f ON f.id = s.function_id CROSS JOIN params
       WHERE coalesce(f.size, params.min_size) >= params.min_size AND f.name NOT GLOB '*+0x*' AND f.name NOT GLOB '*~*'),
     opening AS MATERIALIZED ( -- log_open begins like log_write, logOpen like logWrite, and open_log ends like write_log
       SELECT k.*, h.caller_id, count(*) AS threads, CASE k.stem WHEN 0 THEN substr(k.name, 1, k.word)
                                                     ELSE substr(k.name, 1, k.stem) END AS head,
              CASE WHEN k.stem > 0 THEN substr(k.name, k.stem) END AS tail
       FROM known k JOIN lives l ON l.function_id = k.id JOIN here h ON h.callee_id = k.id
       WHERE k.last_exit_ns IS NOT NULL AND k.file_id IS NOT NULL
       GROUP BY k.id HAVING sum(l.calls) = count(*) AND sum(l.calls) = k.calls),
     family AS MATERIALIZED (
       SELECT o.id AS first_id, k.id AS second_id, 'head' AS alike
       FROM opening o JOIN known k ON k.head3 = o.head3 AND k.module_id = o.module_id AND k.id <> o.id
                                      AND substr(k.name, 1, length(o.head)) = o.head
       WHERE length(o.head) >= 3
       UNION ALL
       SELECT o.id, k.id, 'tail'
       FROM opening o JOIN known k ON k.tail3 = o.tail3 AND k.module_id = o.module_id AND k.id <> o.id
                                      AND substr(k.name, -length(o.tail)) = o.tail
       WHERE length(o.tail) >= 4),
     relatives AS MATERIALIZED (
       SELECT f.first_id, f.second_id, f.alike, o.threads, k.calls, k.callers,
              o.calls = 1 AND k.first_enter_ns <= o.first_enter_ns AS precedes,
              o.calls = 1 AND k.first_enter_ns > o.last_exit_ns AS follows,
              k.file_id IS o.file_id AND k.calls > o.calls AND k.callers >= params.min_callers AND k.calls >= params.min_times
              AND NOT EXISTS (SELECT 1 FROM here h WHERE h.callee_id = k.id AND h.caller_id IN (o.id, o.caller_id)) AS wanted
       FROM family f CROSS JOIN params JOIN opening o ON o.id = f.first_id JOIN known k ON k.id = f.second_id),
     threaded AS MATERIALIZED (
       SELECT f.first_id, f.second_id, f.alike, l.thread_id, l.first_call_id, f.wanted, o.first_call_id AS opening_call_id,
              coalesce(o.first_call_id + coalesce(c.descendants, 0) < l.first_call_id, 0) AS keeps
       FROM relatives f CROSS JOIN lives l ON l.function_id = f.second_id
            LEFT JOIN lives o ON o.function_id = f.first_id AND o.thread_id = l.thread_id
            LEFT JOIN calls c ON c.id = o.first_call_id
       WHERE f.threads >= (SELECT max(2, min_callers) FROM params)),
     late AS MATERIALIZED (
       SELECT first_id, alike, count(DISTINCT thread_id) AS threads FROM threaded WHERE first_call_id < opening_call_id
       GROUP BY first_id, alike),
     lifelong AS MATERIALIZED (
       SELECT f.first_id, f.second_id, 'run' AS how, 1 AS lives, NULL AS thread_id, NULL AS call_id
       FROM relatives f
       WHERE f.wanted AND f.follows
         AND NOT EXISTS (SELECT 1 FROM relatives p WHERE p.first_id = f.first_id AND p.alike = f.alike AND p.precedes)
       UNION
       SELECT t.first_id, t.second_id, 'thread', sum(t.keeps),
              min(CASE WHEN NOT t.keeps THEN t.thread_id END), min(CASE WHEN NOT t.keeps THEN t.first_call_id END)
       FROM threaded t CROSS JOIN params JOIN opening o ON o.id = t.first_id
            LEFT JOIN late ON late.first_id = t.first_id AND late.alike = t.alike
       WHERE t.wanted AND 100 * coalesce(late.threads, 0) <= params.tolerance * o.threads
       GROUP BY t.first_id, t.second_id, t.alike
       HAVING sum(t.keeps) >= max(2, params.min_callers) AND 100 * (count(*) - sum(t.keeps)) <= params.tolerance * count(*)),
     found AS (
       SELECT k.second_id, k.first_id, CASE k.far WHEN 0 THEN 'directly' ELSE 'before' END AS how, k.times, k.callers,
              1.0 * k.callers * k.callers / p.first_callers AS strength, 1 AS lives, k.caller_id,
              (SELECT h.call_id FROM here h WHERE h.caller_id = k.caller_id AND h.callee_id = k.second_id) AS example_call,
              b.callers AS broken, b.call_id AS broken_call,
              row_number() OVER (PARTITION BY k.second_id
                                 ORDER BY p.first_callers * 1.0 / (k.callers * k.callers), k.far, k.first_id) AS place
       FROM kept k CROSS JOIN params JOIN pairs p ON p.second_id = k.second_id AND p.first_id = k.first_id
            LEFT JOIN broken b ON b.second_id = k.second_id AND b.first_id = k.first_id
       WHERE k.callers >= params.min_callers AND k.times >= params.min_times AND coalesce(b.unknown, 0) = 0
         AND (b.callers IS NULL OR 100 * k.callers >= (100 - params.tolerance) * p.first_callers)
         AND 100 * (p.callers - k.callers) <= params.tolerance * p.callers
         AND 1.0 * k.callers * k.callers >= params.min_strength * p.first_callers
       UNION ALL
       SELECT l.second_id, l.first_id, l.how, k.calls, k.callers, 1.0, l.lives,
              (SELECT min(h.caller_id) FROM here h WHERE h.callee_id = l.second_id), k.first_call_id,
              'thread ' || t.name, l.call_id,
              row_number() OVER (PARTITION BY l.first_id ORDER BY k.callers DESC, k.calls DESC, l.second_id)
       FROM lifelong l JOIN known k ON k.id = l.second_id LEFT JOIN living t ON t.id = l.thread_id CROSS JOIN params
       WHERE params.min_strength <= 1)
SELECT f.name AS function,
       f.location,
       a.name AS after,
       a.location AS after_location,
       o.how,
       o.times,
       o.callers,
       round(o.strength, 2) AS strength,
       CASE o.callers WHEN 1 THEN 'yes' ELSE 'no' END AS encapsulated,
       c.name AS caller,
       o.example_call,
       o.broken,
       o.broken_call
FROM found o CROSS JOIN params
     JOIN function_details f ON f.id = o.second_id
     JOIN function_details a ON a.id = o.first_id
     JOIN functions c ON c.id = o.caller_id
WHERE o.place = 1 OR params.every
ORDER BY o.broken IS NULL, o.strength DESC, o.lives DESC, o.callers DESC, o.times DESC, o.second_id, o.first_id, o.how
