-- title:       Growing calls
-- question:    Whose calls take longer the further the run goes?
-- group:       Time
-- description: Functions whose calls take more processor time, or make more calls, the more often they were
--              called: in the run, or within one call of their caller. The time of a call, or the number of
--              calls within it, is fitted against the call's number as logarithmic, linear and quadratic. If
--              every call goes through all that the calls before it left (a list without a pointer to its
--              end, a string that is copied to append to it), the whole takes quadratic time, although each
--              call looks cheap.
-- advice:      Compare an early call with a late one (fisql stack ID). Keep the end, the sum or an
--              index in place of looking for it. A program whose input gets harder by and by grows, too;
--              complexity by an argument (cost-by-argument) tells these apart. Growth that ends, as when
--              data no longer fits into a cache, is logarithmic: -p logarithmic=1 shows it.
-- source:      calls open at evenly spaced moments; a call's number from how many calls of these
--              durations fit between the moments; least squares over twelve medians, Kendall's tau
-- needs:       calls
-- report:      findings
-- hides:       logarithmic=1: their calls grow ever more slowly
-- param:       samples = 1024 | moments | look at the calls open at so many moments of the run
-- param:       min_calls = 24 | calls | leave out what fewer different sampled calls are known of
-- param:       min_ratio = 2.5 | - | least ratio of late calls' time to that of early ones
-- param:       min_saved = 1 | % | leave out what would save less of the run's processor time
-- param:       max_error = 25 | % | leave out what fits no curve better
-- param:       logarithmic = 0 | 0 or 1 | 1 = also calls that grow ever more slowly
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      called_from | - | the place that calls it
-- column:      growth | - | linear, quadratic or logarithmic: how a call's time depends on its number
-- column:      error | % | mean distance of the medians from that curve, of the late calls' time
-- column:      within | - | the run, or caller: calls are numbered anew in each call of the caller
-- column:      by | - | what grows: its own code, the number of calls within it, or the time of its callees
-- column:      calls | calls | made from that place
-- column:      early_ns | ns | processor time of an early call: the median of the first twelfth of the time
-- column:      late_ns | ns | of a late one: the last twelfth
-- column:      early_callees | calls | made within an early call, at any depth
-- column:      late_callees | calls | within a late one
-- column:      saved | % | of the run's processor time, were all calls like early ones
-- column:      early_call | id | calls.id of one of the median early calls
-- column:      late_call | id | calls.id of a late one
-- column:      early_bytes | bytes | allocated within an early call, at any depth
-- column:      late_bytes | bytes | within a late one
WITH RECURSIVE
     params AS (SELECT coalesce(:samples, 1024) AS samples, coalesce(:min_calls, 24) AS min_calls,
                       coalesce(:min_ratio, 2.5) AS min_ratio, coalesce(:min_saved, 1) AS min_saved,
                       coalesce(:max_error, 25) AS max_error, coalesce(:logarithmic, 0) AS logarithmic),
     whole AS MATERIALIZED (SELECT sum(self_cpu_ns) AS cpu_ns FROM function_stats),
     off AS MATERIALIZED ( -- time off the processor, and how much of it came before
       SELECT thread_id, start_ns, wait_ns + preempted_ns AS off_ns,
              sum(wait_ns + preempted_ns) OVER (PARTITION BY thread_id ORDER BY start_ns, id) - wait_ns - preempted_ns
              AS before_ns
       FROM gaps WHERE wait_ns + preempted_ns > 0),
     running AS MATERIALIZED ( -- threads, and how far apart the moments are in each, in time on the processor
       SELECT t.id, t.first_call_id, t.last_call_id, t.start_ns,
              max(1, t.end_ns - t.start_ns - coalesce(o.off_ns, 0)) AS cpu_ns,
              min(params.samples, max(16, CAST(params.samples * 1.0 * t.self_cpu_ns / whole.cpu_ns AS INTEGER))) AS moments
       FROM threads t CROSS JOIN params CROSS JOIN whole
            LEFT JOIN (SELECT thread_id, sum(off_ns) AS off_ns FROM off GROUP BY thread_id) o ON o.thread_id = t.id
       WHERE t.first_call_id IS NOT NULL AND t.end_ns > t.start_ns AND 100 * t.self_cpu_ns >= whole.cpu_ns),
     even(thread_id, number) AS (
       SELECT id, 0 FROM running
       UNION ALL
       SELECT e.thread_id, e.number + 1 FROM even e JOIN running r ON r.id = e.thread_id WHERE e.number + 1 < r.moments),
     moments AS MATERIALIZED (
       SELECT thread_id, number, ns
       FROM (SELECT thread_id, number,
                    start_ns + position + sum(off_ns) OVER (PARTITION BY thread_id
                                                            ORDER BY position, number IS NOT NULL, number) AS ns
             FROM (SELECT e.thread_id, e.number, CAST(r.cpu_ns * (e.number + 0.5) / r.moments AS INTEGER) AS position,
                          0 AS off_ns, r.start_ns
                   FROM even e JOIN running r ON r.id = e.thread_id
                   UNION ALL
                   SELECT o.thread_id, NULL, o.start_ns - r.start_ns - o.before_ns, o.off_ns, r.start_ns
                   FROM off o JOIN running r ON r.id = o.thread_id))
       WHERE number IS NOT NULL),
     -- the last call entered before each moment, by halving the thread's range of ids
     halves(thread_id, number, ns, low, high) AS (
       SELECT m.thread_id, m.number, m.ns, r.first_call_id, r.last_call_id
       FROM moments m JOIN running r ON r.id = m.thread_id
       UNION ALL
       SELECT h.thread_id, h.number, h.ns,
              CASE WHEN coalesce(c.enter_ns <= h.ns, 0) THEN (h.low + h.high + 1) / 2 ELSE h.low END,
              CASE WHEN coalesce(c.enter_ns <= h.ns, 0) THEN h.high ELSE (h.low + h.high + 1) / 2 - 1 END
       FROM halves h LEFT JOIN calls c ON c.id = (h.low + h.high + 1) / 2
       WHERE h.low < h.high),
     open(thread_id, number, ns, call_id, parent_id, frame_id, end_ns, levels) AS ( -- and the calls around it
       SELECT h.thread_id, h.number, h.ns, c.id, c.parent_id, c.frame_id, c.enter_ns + c.duration_ns, 0
       FROM halves h CROSS JOIN calls c ON c.id = h.low WHERE h.low >= h.high
       UNION ALL
       SELECT o.thread_id, o.number, o.ns, c.id, c.parent_id, c.frame_id, c.enter_ns + c.duration_ns, o.levels + 1
       FROM open o CROSS JOIN calls c ON c.id = o.parent_id WHERE o.levels < 250),
     hits AS MATERIALIZED (
       SELECT o.thread_id, o.call_id, o.parent_id, o.frame_id, count(*) AS moments
       FROM open o WHERE o.end_ns > o.ns AND o.parent_id IS NOT NULL
       GROUP BY o.call_id),
     places AS MATERIALIZED ( -- a place: function, called from where, by whom; not by itself
       SELECT h.*, fr.function_id, fr.site_id, up.function_id AS caller_id
       FROM hits h JOIN frames fr ON fr.id = h.frame_id JOIN frames up ON up.id = fr.parent_id
       WHERE fr.function_id <> up.function_id AND fr.parent_id < fr.id),
     known AS MATERIALIZED (
       SELECT row_number() OVER (ORDER BY k.thread_id, k.caller_id, k.site_id, k.function_id) AS place_id, k.*,
              sum(e.calls) AS calls, sum(e.cpu_ns) AS cpu_ns
       FROM (SELECT p.thread_id, p.caller_id, p.site_id, p.function_id
             FROM places p CROSS JOIN params CROSS JOIN running r ON r.id = p.thread_id
             GROUP BY p.thread_id, p.caller_id, p.site_id, p.function_id
             HAVING count(*) >= max(12, params.min_calls) AND 100 * sum(p.moments) >= params.min_saved * min(r.moments)) k
            JOIN edges e ON e.caller_id = k.caller_id AND e.callee_id = k.function_id AND e.site_id IS k.site_id
       GROUP BY k.thread_id, k.caller_id, k.site_id, k.function_id),
     timed AS MATERIALIZED ( -- on_ns: time on the processor, with the hooks
       SELECT k.place_id, k.caller_id, k.function_id, p.call_id, p.parent_id, p.moments, c.descendants,
              max(10.0, c.duration_ns - (SELECT total(g.wait_ns + g.preempted_ns) FROM gaps g
                                         WHERE g.call_id BETWEEN c.id AND c.id + c.descendants)) AS on_ns,
              c.self_ns - (SELECT total(g.wait_ns + g.preempted_ns) FROM gaps g WHERE g.call_id = c.id AND NOT g.paused)
                AS self_on_ns,
              coalesce(h.inside_ps * (1 + c.descendants) + h.outside_ps * c.descendants, 0) / 1000 AS hooks_ns
       FROM known k JOIN places p ON p.thread_id = k.thread_id AND p.caller_id = k.caller_id AND p.site_id IS k.site_id
                                     AND p.function_id = k.function_id
            CROSS JOIN calls c ON c.id = p.call_id
            LEFT JOIN hook_costs h ON h.first_call_id = (SELECT max(first_call_id) FROM hook_costs WHERE first_call_id <= c.id)
       WHERE c.ended < 2),
     samples AS MATERIALIZED ( -- calls: how many of this duration there were, in distances of moments
       SELECT t.*, w.within, t.moments / t.on_ns AS calls,
              CASE w.within WHEN 'caller' THEN 1.0 * (t.call_id - p.id) / p.descendants ELSE t.call_id END AS position
       FROM timed t CROSS JOIN (SELECT 'the run' AS within UNION ALL SELECT 'caller') w
            LEFT JOIN callee_runs r ON w.within = 'caller' AND r.caller_id = t.caller_id AND r.callee_id = t.function_id
                                       AND r.calls >= 16 * r.caller_calls AND r.caller_calls > 1
            LEFT JOIN calls p ON p.id = t.parent_id AND r.calls IS NOT NULL
       WHERE w.within <> 'caller' OR p.id IS NOT NULL),
     numbered AS MATERIALIZED (
       SELECT s.*, max(0.0, s.on_ns - s.hooks_ns) AS cpu_ns, max(0.0, s.self_on_ns) AS own_ns,
              sum(s.calls) OVER before / sum(s.calls) OVER (PARTITION BY s.place_id, s.within) AS number,
              12 * (sum(s.moments) OVER before - s.moments) / sum(s.moments) OVER (PARTITION BY s.place_id, s.within) AS part
       FROM samples s
       WINDOW before AS (PARTITION BY s.place_id, s.within ORDER BY s.position, s.call_id)),
     measured AS ( -- the number of calls within it is exact, where hooks take most of the time
       SELECT n.*, 'time' AS measure, n.cpu_ns AS y FROM numbered n
       UNION ALL
       SELECT n.*, 'calls', n.descendants FROM numbered n),
     ranked AS (
       SELECT m.*, row_number() OVER (PARTITION BY place_id, within, measure, part ORDER BY y, call_id) AS rank,
              count(*) OVER (PARTITION BY place_id, within, measure, part) AS samples,
              avg(number) OVER (PARTITION BY place_id, within, measure, part) AS mean_number
       FROM measured m),
     medians AS MATERIALIZED ( -- of each twelfth of the time
       SELECT place_id, within, measure, part, mean_number AS x, y, cpu_ns, own_ns, descendants, call_id
       FROM ranked WHERE rank = (samples + 1) / 2),
     ends AS MATERIALIZED (
       SELECT m.place_id, m.within, m.measure, max(m.y) FILTER (WHERE m.part = 0) AS early,
              max(m.cpu_ns) FILTER (WHERE m.part = 0) AS early_ns, max(m.cpu_ns) FILTER (WHERE m.part = 11) AS late_ns,
              max(m.own_ns) FILTER (WHERE m.part = 0) AS early_own_ns, max(m.own_ns) FILTER (WHERE m.part = 11) AS late_own_ns,
              max(m.descendants) FILTER (WHERE m.part = 0) AS early_callees,
              max(m.descendants) FILTER (WHERE m.part = 11) AS late_callees,
              max(m.call_id) FILTER (WHERE m.part = 0) AS early_call, max(m.call_id) FILTER (WHERE m.part = 11) AS late_call
       FROM medians m CROSS JOIN params
       GROUP BY m.place_id, m.within, m.measure
       HAVING count(*) >= 9 AND max(m.y) FILTER (WHERE m.part = 11)
                                >= max(params.min_ratio) * max(max(m.y) FILTER (WHERE m.part = 0), 1)),
     ordered AS MATERIALIZED ( -- Kendall's tau: how far the medians are in order
       SELECT e.place_id, e.within, e.measure, 1.0 * sum((b.y > a.y) - (b.y < a.y)) / count(*) AS tau
       FROM ends e JOIN medians a ON a.place_id = e.place_id AND a.within = e.within AND a.measure = e.measure
            JOIN medians b ON b.place_id = e.place_id AND b.within = e.within AND b.measure = e.measure AND b.part > a.part
       GROUP BY e.place_id, e.within, e.measure),
     shapes(shape) AS (VALUES ('logarithmic'), ('linear'), ('quadratic')),
     points AS (
       SELECT m.place_id, m.within, m.measure, s.shape, m.y,
              CASE s.shape WHEN 'logarithmic' THEN ln(max(m.x * k.calls, 1)) WHEN 'linear' THEN m.x ELSE m.x * m.x END AS x
       FROM ordered o JOIN medians m ON m.place_id = o.place_id AND m.within = o.within AND m.measure = o.measure
            JOIN known k ON k.place_id = o.place_id CROSS JOIN shapes s
       WHERE o.tau >= 0.75),
     sums AS (
       SELECT place_id, within, measure, shape, count(*) AS n, avg(x) AS x, avg(y) AS y, max(y) AS largest,
              avg(x * x) - avg(x) * avg(x) AS xx, avg(x * y) - avg(x) * avg(y) AS xy, avg(y * y) - avg(y) * avg(y) AS yy
       FROM points GROUP BY place_id, within, measure, shape),
     fits AS ( -- a logarithm that would begin below 0 is none
       SELECT s.*, sqrt(max(0, yy - xy * xy / max(xx, 1e-30))) AS distance
       FROM sums s WHERE shape <> 'logarithmic' OR y >= xy / max(xx, 1e-30) * x),
     fitted AS MATERIALIZED ( -- not linear only if that is clearly nearer
       SELECT place_id, within, measure, shape, 100 * distance / largest AS error,
              row_number() OVER (PARTITION BY place_id, within, measure
                                 ORDER BY distance * CASE shape WHEN 'linear' THEN 0.7 ELSE 1 END, shape) AS choice
       FROM fits),
     growing AS MATERIALIZED (
       SELECT e.*, f.shape, f.error, k.function_id, k.caller_id, k.site_id, k.calls,
              (SELECT sum(max(0, n.y - e.early) * n.calls) / sum(n.y * n.calls) FROM measured n
               WHERE n.place_id = e.place_id AND n.within = e.within AND n.measure = e.measure) * k.cpu_ns AS saved_ns,
              CASE WHEN e.measure = 'calls' THEN 'more calls'
                   WHEN 2 * (e.late_own_ns - e.early_own_ns) >= e.late_ns - e.early_ns THEN 'own code'
                   WHEN e.late_callees >= params.min_ratio * max(e.early_callees, 1) THEN 'more calls'
                   ELSE 'longer calls' END AS by
       FROM ends e JOIN fitted f ON f.place_id = e.place_id AND f.within = e.within AND f.measure = e.measure AND f.choice = 1
            JOIN known k ON k.place_id = e.place_id CROSS JOIN params
       WHERE f.error <= params.max_error AND (f.shape <> 'logarithmic' OR params.logarithmic)),
     culprits AS MATERIALIZED ( -- not a caller whose growth is that of a callee in the list
       SELECT g.*, row_number() OVER (PARTITION BY g.function_id
                                       ORDER BY g.measure = 'time' DESC, g.saved_ns DESC, g.place_id, g.within) AS choice
       FROM growing g CROSS JOIN params CROSS JOIN whole
       WHERE 100 * g.saved_ns >= params.min_saved * whole.cpu_ns
         AND (g.by = 'own code' OR NOT EXISTS (
           SELECT 1 FROM growing k
           WHERE k.place_id <> g.place_id AND 2 * k.saved_ns >= g.saved_ns
             AND EXISTS (SELECT 1 FROM numbered n JOIN numbered m ON m.place_id = k.place_id
                                AND m.call_id BETWEEN n.call_id + 1 AND n.call_id + n.descendants
                         WHERE n.place_id = g.place_id AND n.within = g.within)))),
     shown AS MATERIALIZED (SELECT * FROM culprits WHERE choice = 1),
     -- blocks have their ids in the order of allocation: the first one of a call, and the first one behind it, by halving
     bounds(place_id, late, call_id, last_id, at_end, ns, low, high) AS (
       SELECT s.place_id, e.late, c.id, c.id + c.descendants, e.at_end, c.enter_ns + e.at_end * (c.duration_ns + 1), 1,
              (SELECT coalesce(max(id), 0) + 1 FROM allocs)
       FROM shown s CROSS JOIN (SELECT 0 AS late, 0 AS at_end UNION ALL VALUES (0, 1), (1, 0), (1, 1)) e
            CROSS JOIN calls c ON c.id = CASE e.late WHEN 0 THEN s.early_call ELSE s.late_call END
       UNION ALL
       SELECT b.place_id, b.late, b.call_id, b.last_id, b.at_end, b.ns,
              CASE WHEN coalesce(a.alloc_ns >= b.ns, 0) THEN b.low ELSE (b.low + b.high) / 2 + 1 END,
              CASE WHEN coalesce(a.alloc_ns >= b.ns, 0) THEN (b.low + b.high) / 2 ELSE b.high END
       FROM bounds b LEFT JOIN allocs a ON a.id = (b.low + b.high) / 2
       WHERE b.low < b.high),
     ranges AS MATERIALIZED (
       SELECT place_id, late, call_id, last_id, max(low) FILTER (WHERE NOT at_end) AS first_block,
              max(low) FILTER (WHERE at_end) AS end_block
       FROM bounds WHERE low >= high GROUP BY place_id, late),
     allocated AS MATERIALIZED (
       SELECT place_id, max(bytes) FILTER (WHERE NOT late) AS early_bytes, max(bytes) FILTER (WHERE late) AS late_bytes
       FROM (SELECT r.place_id, r.late,
                    (SELECT coalesce(sum(a.size), 0) FROM allocs a
                     WHERE a.id >= r.first_block AND a.id < r.end_block AND a.call_id BETWEEN r.call_id AND r.last_id) AS bytes
             FROM ranges r)
       GROUP BY place_id)
SELECT f.name AS function,
       f.location,
       caller.name || coalesce(' ' || s.location, '') AS called_from,
       c.shape AS growth,
       round(c.error, 1) AS error,
       c.within,
       c.by,
       c.calls,
       CAST(c.early_ns AS INTEGER) AS early_ns,
       CAST(c.late_ns AS INTEGER) AS late_ns,
       c.early_callees,
       c.late_callees,
       round(100.0 * c.saved_ns / whole.cpu_ns, 1) AS saved,
       c.early_call,
       c.late_call,
       a.early_bytes,
       a.late_bytes
FROM shown c CROSS JOIN whole
     JOIN function_details f ON f.id = c.function_id
     JOIN functions caller ON caller.id = c.caller_id
     LEFT JOIN site_details s ON s.id = c.site_id
     LEFT JOIN allocated a ON a.place_id = c.place_id
ORDER BY c.saved_ns DESC, f.id
