-- Each SELECT gives the rows of a rollup that differ from what SQL over calls, gaps and allocs gives: nothing,
-- in a sound database that has no counted calls.
CREATE TEMP TABLE off AS -- each call in which its thread was off the processor
  WITH RECURSIVE up(id, gap_id) AS (
    SELECT call_id, id FROM main.gaps WHERE call_id IS NOT NULL
    UNION ALL SELECT c.parent_id, up.gap_id FROM up JOIN calls c ON c.id = up.id WHERE c.parent_id IS NOT NULL)
  SELECT up.id, sum(g.wait_ns) AS wait, sum(g.preempted_ns) AS preempted,
         sum(CASE WHEN g.call_id = up.id THEN g.wait_ns ELSE 0 END) AS self_wait,
         sum(CASE WHEN g.call_id = up.id THEN g.preempted_ns ELSE 0 END) AS self_preempted,
         sum(g.call_id = up.id AND g.wait_ns > 0) AS waits
  FROM up JOIN main.gaps g ON g.id = up.gap_id GROUP BY up.id;
CREATE UNIQUE INDEX temp.off_id ON off(id);
CREATE TEMP TABLE hooks AS -- what each call's hooks cost, and those of it and all calls before it
  SELECT c.id, c.parent_id, h.inside_ps, h.outside_ps, sum(h.inside_ps + h.outside_ps) OVER (ORDER BY c.id) AS sum_ps
  FROM calls c JOIN hook_costs h ON h.first_call_id = (SELECT max(first_call_id) FROM hook_costs WHERE first_call_id <= c.id)
       AND h.last_call_id >= c.id AND h.thread_id = c.thread_id;
CREATE UNIQUE INDEX temp.hooks_id ON hooks(id);
SELECT 'hook_costs', c.id FROM calls c LEFT JOIN hooks h ON h.id = c.id WHERE h.id IS NULL;
CREATE TEMP TABLE adjusted AS -- each call's duration without the hooks' cost
  SELECT c.id, max(coalesce(off.wait + off.preempted, 0), c.duration_ns - (h.inside_ps + l.sum_ps - h.sum_ps) / 1000) AS ns
  FROM calls c JOIN hooks h ON h.id = c.id JOIN hooks l ON l.id = c.id + c.descendants LEFT JOIN off ON off.id = c.id;
CREATE UNIQUE INDEX temp.adjusted_id ON adjusted(id);
WITH self AS (SELECT c.frame_id, sum(c.self_ns) AS raw_self, sum(h.inside_ps) + sum(coalesce(k.ps, 0)) AS ps
              FROM calls c JOIN hooks h ON h.id = c.id
                   LEFT JOIN (SELECT parent_id AS id, sum(outside_ps) AS ps FROM hooks GROUP BY parent_id) k ON k.id = c.id
              GROUP BY c.frame_id)
SELECT 'frames.self_ns', f.id FROM frames f JOIN self ON self.frame_id = f.id
WHERE f.self_ns IS NOT max(f.self_wait_ns + f.self_preempted_ns, raw_self - ps / 1000);
WITH d AS (SELECT c.frame_id, c.id, c.duration_ns, c.self_ns, c.ended,
                  max(0, a.ns - coalesce(off.wait + off.preempted, 0)) AS adjusted
           FROM calls c JOIN adjusted a ON a.id = c.id LEFT JOIN off ON off.id = c.id),
     s AS (SELECT frame_id, count(*) AS calls, sum(self_ns) AS raw_self,
                  min(CASE WHEN ended < 2 THEN adjusted END) AS lo, max(CASE WHEN ended < 2 THEN adjusted END) AS hi,
                  avg(CASE WHEN ended < 2 THEN adjusted END) AS mean, sum(ended < 2) AS finished
           FROM d GROUP BY frame_id)
SELECT 'frames', f.id FROM frames f LEFT JOIN s ON s.frame_id = f.id
WHERE f.calls IS NOT coalesce(s.calls, 0) OR f.raw_self_ns IS NOT coalesce(s.raw_self, 0)
   OR f.min_ns IS NOT s.lo OR f.max_ns IS NOT s.hi OR f.finished IS NOT coalesce(s.finished, 0)
   OR abs(coalesce(f.mean_ns, 0) - coalesce(s.mean, 0)) > 1e-9 * (1 + coalesce(s.mean, 0));
WITH s AS (SELECT f.function_id, count(*) AS calls, sum(c.self_ns) AS raw_self, sum(c.ended = 1) AS unwound,
                  sum(c.ended > 1) AS still_open, min(c.id) AS first, max(c.depth) AS depth
           FROM calls c JOIN frames f ON f.id = c.frame_id GROUP BY f.function_id)
SELECT 'function_stats', t.function_id FROM function_stats t LEFT JOIN s ON s.function_id = t.function_id
WHERE t.calls IS NOT s.calls OR t.raw_self_ns IS NOT s.raw_self OR t.unwound IS NOT s.unwound
   OR t.open IS NOT s.still_open OR t.depth_max IS NOT s.depth;
SELECT 'frames.first_call_id', f.id FROM frames f LEFT JOIN
 (SELECT frame_id, first_value(id) OVER (PARTITION BY frame_id ORDER BY enter_ns, id) AS first,
         first_value(id) OVER (PARTITION BY frame_id ORDER BY enter_ns DESC, id DESC) AS last FROM calls) c ON c.frame_id = f.id
WHERE f.first_call_id IS NOT c.first OR f.last_call_id IS NOT c.last;
WITH n AS (SELECT c.id, f.function_id, c.duration_ns, c.thread_id, c.descendants FROM calls c JOIN frames f ON f.id = c.frame_id
           WHERE (SELECT count(*) FROM calls) < 20000), -- looked at first: it takes long
     s AS (SELECT n.function_id, sum(n.duration_ns) AS total FROM n
           WHERE NOT EXISTS (WITH RECURSIVE up(id) AS (SELECT (SELECT parent_id FROM calls WHERE id = n.id)
                                UNION ALL SELECT (SELECT parent_id FROM calls WHERE calls.id = up.id) FROM up WHERE up.id IS NOT NULL)
                             SELECT 1 FROM up JOIN n AS outer_call ON outer_call.id = up.id
                             WHERE outer_call.function_id = n.function_id)
           GROUP BY n.function_id)
SELECT 'function_stats.raw_total_ns', t.function_id FROM function_stats t JOIN s ON s.function_id = t.function_id
WHERE t.raw_total_ns IS NOT s.total;
WITH s AS (SELECT c.thread_id, f.function_id, count(*) AS calls, sum(c.self_ns) AS raw_self, min(c.id) AS first, max(c.id) AS last
           FROM calls c JOIN frames f ON f.id = c.frame_id GROUP BY 1, 2)
SELECT 'thread_functions', t.thread_id, t.function_id FROM thread_functions t
LEFT JOIN s ON s.thread_id = t.thread_id AND s.function_id = t.function_id
WHERE t.calls IS NOT s.calls OR t.raw_self_ns IS NOT s.raw_self OR t.first_call_id IS NOT s.first OR t.last_call_id IS NOT s.last;
SELECT 'thread_functions missing', (SELECT count(*) FROM thread_functions) - count(*) AS n
FROM (SELECT DISTINCT c.thread_id, f.function_id FROM calls c JOIN frames f ON f.id = c.frame_id) HAVING n <> 0;
WITH s AS (SELECT pf.function_id AS caller, cf.function_id AS callee, count(*) AS calls, sum(c.self_ns) AS raw_self
           FROM calls c JOIN frames cf ON cf.id = c.frame_id LEFT JOIN calls p ON p.id = c.parent_id
                LEFT JOIN frames pf ON pf.id = p.frame_id GROUP BY 1, 2),
     e AS (SELECT caller_id AS caller, callee_id AS callee, sum(calls) AS calls, sum(raw_self_ns) AS raw_self
           FROM edges GROUP BY 1, 2)
SELECT 'edges', * FROM (SELECT * FROM s EXCEPT SELECT * FROM e UNION ALL SELECT * FROM (SELECT * FROM e EXCEPT SELECT * FROM s));
SELECT 'threads', t.id FROM threads t WHERE t.calls IS NOT (SELECT count(*) FROM calls c WHERE c.thread_id = t.id)
   OR t.raw_self_ns IS NOT (SELECT coalesce(sum(self_ns), 0) FROM calls c WHERE c.thread_id = t.id)
   OR t.first_call_id IS NOT (SELECT min(id) FROM calls c WHERE c.thread_id = t.id);
SELECT 'descendants', c.id FROM calls c JOIN calls p ON p.id = c.parent_id
WHERE c.id <= p.id OR c.id > p.id + p.descendants OR c.depth <> p.depth + 1 OR c.thread_id <> p.thread_id;
WITH s AS (SELECT frame_id, site_id, kind, count(*) AS blocks, sum(size) AS bytes, count(free_ns) AS freed,
                  min(size) AS lo, max(size) AS hi FROM allocs GROUP BY 1, 2, 3)
SELECT 'alloc_stacks', a.id FROM alloc_stacks a LEFT JOIN s ON s.frame_id IS a.frame_id AND s.site_id IS a.site_id AND s.kind = a.kind
WHERE a.blocks IS NOT s.blocks OR a.bytes IS NOT s.bytes OR a.freed_blocks IS NOT s.freed OR a.min_size IS NOT s.lo OR a.max_size IS NOT s.hi;
WITH made AS (SELECT frame_id, count(*) AS allocs, sum(size) AS bytes FROM allocs GROUP BY frame_id),
     freed AS (SELECT free_frame_id AS frame_id, count(*) AS frees FROM allocs GROUP BY free_frame_id)
SELECT 'frames.allocs', f.id FROM frames f LEFT JOIN made ON made.frame_id = f.id LEFT JOIN freed ON freed.frame_id = f.id
WHERE f.allocs IS NOT coalesce(made.allocs, 0) OR f.alloc_bytes IS NOT coalesce(made.bytes, 0)
   OR f.frees IS NOT coalesce(freed.frees, 0);
SELECT 'durations', s.function_id FROM function_stats s
WHERE s.finished IS NOT (SELECT coalesce(sum(count), 0) FROM durations d WHERE d.function_id = s.function_id);
SELECT 'block_flows', 0 WHERE (SELECT coalesce(sum(blocks), 0) FROM block_flows) <> (SELECT count(free_ns) FROM allocs);
CREATE TEMP TABLE once AS -- contexts whose calls hold no other call of their function
  SELECT fr.id FROM frames fr JOIN function_stats s ON s.function_id = fr.function_id WHERE s.recursive_calls = 0;
CREATE TEMP TABLE freed_by_call AS -- the most blocks of a flow that one call freed
  SELECT free_frame_id, free_site_id, thread_id, free_thread_id, max(blocks) AS blocks
  FROM (SELECT frame_id, site_id, kind, free_frame_id, free_site_id, thread_id, free_thread_id, free_call_id, count(*) AS blocks
        FROM allocs WHERE free_call_id IS NOT NULL AND free_frame_id IN once GROUP BY 1, 2, 3, 4, 5, 6, 7, 8)
  GROUP BY frame_id, site_id, kind, 1, 2, 3, 4;
CREATE TEMP TABLE made_by_call AS
  SELECT frame_id, site_id, max(blocks) AS blocks
  FROM (SELECT frame_id, site_id, kind, call_id, count(*) AS blocks
        FROM allocs WHERE call_id IS NOT NULL AND frame_id IN once GROUP BY 1, 2, 3, 4)
  GROUP BY frame_id, site_id, kind;
SELECT 'block_groups, freed', count(*), min(free_frame_id)
FROM (SELECT free_frame_id, free_site_id, thread_id, free_thread_id, blocks, sum(part)
      FROM (SELECT *, 1 AS part FROM freed_by_call
            UNION ALL
            SELECT b.free_frame_id, b.free_site_id, b.alloc_thread_id, b.free_thread_id, g.blocks, -1
            FROM block_groups g JOIN block_flows b ON b.id = g.flow_id WHERE g.by_caller = 0 AND b.free_frame_id IN once)
      GROUP BY 1, 2, 3, 4, 5 HAVING sum(part) <> 0) HAVING count(*) > 0;
SELECT 'block_groups, made', count(*), min(frame_id)
FROM (SELECT frame_id, site_id, blocks, sum(part)
      FROM (SELECT *, 1 AS part FROM made_by_call
            UNION ALL
            SELECT a.frame_id, a.site_id, g.blocks, -1
            FROM block_groups g JOIN alloc_stacks a ON a.id = g.stack_id
            WHERE g.flow_id IS NULL AND g.by_caller = 0 AND a.frame_id IN once)
      GROUP BY 1, 2, 3 HAVING sum(part) <> 0) HAVING count(*) > 0;
CREATE TEMP TABLE made AS -- each call with its function, its caller's, and the callee before it
  SELECT c.id, c.parent_id, c.thread_id, f.function_id, c.duration_ns, c.descendants, c.ended, c.enter_ns,
         pf.function_id AS caller_id, f.site_id,
         lag(f.function_id) OVER (PARTITION BY c.parent_id ORDER BY c.id) AS previous_id,
         lag(c.enter_ns) OVER (PARTITION BY c.thread_id, f.function_id ORDER BY c.id) AS previous_ns,
         a.ns AS adjusted, coalesce(off.wait, 0) AS wait, coalesce(off.preempted, 0) AS preempted, 0 AS cpu
  FROM calls c JOIN frames f ON f.id = c.frame_id JOIN adjusted a ON a.id = c.id LEFT JOIN calls p ON p.id = c.parent_id
       LEFT JOIN frames pf ON pf.id = p.frame_id LEFT JOIN off ON off.id = c.id;
UPDATE made SET cpu = max(0, adjusted - wait - preempted);
SELECT 'call_times', * FROM (SELECT id, thread_id, function_id, cpu FROM made WHERE ended < 2 EXCEPT SELECT * FROM call_times)
UNION ALL SELECT 'call_times', * FROM (SELECT * FROM call_times EXCEPT SELECT id, thread_id, function_id, cpu FROM made WHERE ended < 2);
CREATE TEMP TABLE found_runs AS
  SELECT parent_id, caller_id, function_id, number, count(*) AS calls, sum(duration_ns) AS ns FROM (
    SELECT *, sum(previous_id IS NOT function_id) OVER (PARTITION BY parent_id ORDER BY id) AS number
    FROM made WHERE parent_id IS NOT NULL) GROUP BY parent_id, number;
WITH s AS (SELECT caller_id, function_id AS callee_id, count(*) AS count, sum(calls) AS calls,
                  count(DISTINCT parent_id) AS caller_calls, max(calls) AS longest, sum(ns) AS ns FROM found_runs GROUP BY 1, 2),
     r AS (SELECT caller_id, callee_id, count, calls, caller_calls, longest, raw_total_ns FROM callee_runs)
SELECT 'callee_runs', * FROM (SELECT * FROM s EXCEPT SELECT * FROM r) UNION ALL SELECT 'callee_runs', * FROM (SELECT * FROM r EXCEPT SELECT * FROM s);
WITH s AS (SELECT caller_id, coalesce(previous_id, 0) AS previous_id, function_id AS callee_id, count(*) AS count FROM made
           WHERE parent_id IS NOT NULL AND previous_id IS NOT function_id GROUP BY 1, 2, 3),
     q AS (SELECT caller_id, previous_id, callee_id, count FROM callee_transitions)
SELECT 'callee_transitions', * FROM (SELECT * FROM s EXCEPT SELECT * FROM q) UNION ALL SELECT 'callee_transitions', * FROM (SELECT * FROM q EXCEPT SELECT * FROM s);
WITH s AS (SELECT function_id, CASE WHEN enter_ns - previous_ns < 2 THEN 0 ELSE CAST(log2(enter_ns - previous_ns) AS INTEGER) END AS log2,
                  count(*) AS count FROM made WHERE previous_ns IS NOT NULL GROUP BY 1, 2),
     i AS (SELECT function_id, log2, count FROM intervals)
SELECT 'intervals', * FROM (SELECT * FROM s EXCEPT SELECT * FROM i) UNION ALL SELECT 'intervals', * FROM (SELECT * FROM i EXCEPT SELECT * FROM s);
WITH s AS (SELECT function_id, CASE WHEN cpu < 2 THEN 0 ELSE CAST(log2(cpu) AS INTEGER) END AS log2, count(*) AS count
           FROM made WHERE ended < 2 GROUP BY 1, 2),
     d AS (SELECT function_id, log2, count FROM durations)
SELECT 'durations by range', * FROM (SELECT * FROM s EXCEPT SELECT * FROM d) UNION ALL SELECT 'durations by range', * FROM (SELECT * FROM d EXCEPT SELECT * FROM s);
WITH s AS (SELECT function_id, row_number() OVER (PARTITION BY function_id ORDER BY cpu DESC, id) AS rank, id, adjusted, duration_ns,
                  wait, preempted, cpu FROM made WHERE ended < 2),
     l AS (SELECT function_id, rank, call_id, duration_ns, raw_duration_ns, wait_ns, preempted_ns, cpu_ns FROM slow_calls)
SELECT 'slow_calls', * FROM (SELECT * FROM s WHERE rank <= 16 EXCEPT SELECT * FROM l)
UNION ALL SELECT 'slow_calls', * FROM (SELECT * FROM l EXCEPT SELECT * FROM s);
WITH kids AS (SELECT parent_id AS id, count(*) AS kids FROM made WHERE parent_id IS NOT NULL GROUP BY 1),
     s AS (SELECT m.function_id, sum(coalesce(k.kids, 0)) AS child_calls, sum(k.kids > 0) AS calling,
                  sum(k.kids = 1 AND m.ended < 2) AS single, sum(m.parent_id IS NULL) AS roots,
                  min(m.id) AS first_call, max(m.id) AS last_call, max(CASE WHEN m.ended < 2 THEN m.cpu END) AS slowest,
                  count(DISTINCT m.caller_id) AS callers FROM made m LEFT JOIN kids k ON k.id = m.id GROUP BY 1),
     called AS (SELECT caller_id, count(DISTINCT function_id) AS callees FROM made GROUP BY 1)
SELECT 'function_stats shape', t.function_id FROM function_stats t LEFT JOIN s ON s.function_id = t.function_id
LEFT JOIN called ON called.caller_id = t.function_id
WHERE t.child_calls IS NOT s.child_calls OR t.calling IS NOT coalesce(s.calling, 0) OR t.single_child_calls IS NOT coalesce(s.single, 0)
   OR t.root_calls IS NOT s.roots OR t.max_ns IS NOT s.slowest OR t.callers IS NOT s.callers
   OR t.callees IS NOT coalesce(called.callees, 0);
WITH s AS (SELECT caller_id, site_id, function_id AS callee_id, count(*) AS calls, min(id) AS first_call FROM made GROUP BY 1, 2, 3),
     e AS (SELECT caller_id, site_id, callee_id, calls, first_call_id FROM edges)
SELECT 'edges by site', * FROM (SELECT * FROM s EXCEPT SELECT * FROM e) UNION ALL SELECT 'edges by site', * FROM (SELECT * FROM e EXCEPT SELECT * FROM s);
CREATE TEMP TABLE within AS -- each gap of a call under each call around it
  WITH RECURSIVE up(id, gap_id) AS (
    SELECT call_id, id FROM main.gaps WHERE call_id IS NOT NULL
    UNION ALL SELECT m.parent_id, up.gap_id FROM up JOIN calls m ON m.id = up.id WHERE m.parent_id IS NOT NULL)
  SELECT up.id, up.gap_id, c.frame_id, f.function_id, c.thread_id, g.wait_ns, g.preempted_ns
  FROM up JOIN calls c ON c.id = up.id JOIN frames f ON f.id = c.frame_id JOIN main.gaps g ON g.id = up.gap_id;
CREATE TEMP TABLE own AS -- each gap with its call's frame and function, and what called that
  SELECT g.id, g.thread_id, g.wait_ns, g.preempted_ns, c.frame_id, f.function_id, f.site_id, pf.function_id AS caller_id
  FROM main.gaps g JOIN calls c ON c.id = g.call_id JOIN frames f ON f.id = c.frame_id
       LEFT JOIN calls p ON p.id = c.parent_id LEFT JOIN frames pf ON pf.id = p.frame_id WHERE g.paused = 0;
SELECT 'gaps.frame_id', g.id FROM main.gaps g LEFT JOIN calls c ON c.id = g.call_id WHERE g.frame_id IS NOT c.frame_id;
-- An outermost activation holds a gap once, however many activations are around it: so a function's or frame's
-- total is that of the gaps that lie in any of its calls.
WITH s AS (SELECT function_id, sum(wait_ns) AS w, sum(preempted_ns) AS p
           FROM (SELECT DISTINCT function_id, gap_id, wait_ns, preempted_ns FROM within) GROUP BY 1),
     o AS (SELECT function_id, sum(wait_ns) AS w, sum(preempted_ns) AS p, sum(wait_ns > 0) AS n FROM own GROUP BY 1)
SELECT 'function_stats off', t.function_id FROM function_stats t LEFT JOIN s USING (function_id) LEFT JOIN o USING (function_id)
WHERE t.wait_ns IS NOT coalesce(s.w, 0) OR t.preempted_ns IS NOT coalesce(s.p, 0) OR t.self_wait_ns IS NOT coalesce(o.w, 0)
   OR t.self_preempted_ns IS NOT coalesce(o.p, 0) OR t.self_waits IS NOT coalesce(o.n, 0);
WITH s AS (SELECT frame_id, sum(wait_ns) AS w, sum(preempted_ns) AS p
           FROM (SELECT DISTINCT frame_id, gap_id, wait_ns, preempted_ns FROM within) GROUP BY 1),
     o AS (SELECT frame_id, sum(wait_ns) AS w, sum(preempted_ns) AS p, sum(wait_ns > 0) AS n FROM own GROUP BY 1)
SELECT 'frames off', t.id FROM frames t LEFT JOIN s ON s.frame_id = t.id LEFT JOIN o ON o.frame_id = t.id
WHERE t.wait_ns IS NOT coalesce(s.w, 0) OR t.preempted_ns IS NOT coalesce(s.p, 0) OR t.self_wait_ns IS NOT coalesce(o.w, 0)
   OR t.self_preempted_ns IS NOT coalesce(o.p, 0) OR t.self_waits IS NOT coalesce(o.n, 0);
WITH s AS (SELECT thread_id, function_id, sum(wait_ns) AS w, sum(preempted_ns) AS p
           FROM (SELECT DISTINCT thread_id, function_id, gap_id, wait_ns, preempted_ns FROM within) GROUP BY 1, 2),
     o AS (SELECT thread_id, function_id, sum(wait_ns) AS w, sum(preempted_ns) AS p, sum(wait_ns > 0) AS n FROM own GROUP BY 1, 2)
SELECT 'thread_functions off', t.thread_id, t.function_id FROM thread_functions t
LEFT JOIN s USING (thread_id, function_id) LEFT JOIN o USING (thread_id, function_id)
WHERE t.wait_ns IS NOT coalesce(s.w, 0) OR t.preempted_ns IS NOT coalesce(s.p, 0) OR t.self_wait_ns IS NOT coalesce(o.w, 0)
   OR t.self_preempted_ns IS NOT coalesce(o.p, 0) OR t.self_waits IS NOT coalesce(o.n, 0);
WITH inner_ones AS ( -- activations within one of the same function
       SELECT DISTINCT i.id FROM within i JOIN within a ON a.gap_id = i.gap_id AND a.function_id = i.function_id AND a.id < i.id),
     s AS (SELECT pf.function_id AS caller_id, f.site_id, f.function_id AS callee_id, sum(w.wait_ns) AS w, sum(w.preempted_ns) AS p
           FROM within w JOIN calls c ON c.id = w.id JOIN frames f ON f.id = c.frame_id
                LEFT JOIN calls p ON p.id = c.parent_id LEFT JOIN frames pf ON pf.id = p.frame_id
           WHERE w.id NOT IN (SELECT id FROM inner_ones) GROUP BY 1, 2, 3),
     o AS (SELECT caller_id, site_id, function_id AS callee_id, sum(wait_ns) AS w, sum(preempted_ns) AS p, sum(wait_ns > 0) AS n
           FROM own GROUP BY 1, 2, 3)
SELECT 'edges off', t.id FROM edges t
LEFT JOIN s ON s.caller_id IS t.caller_id AND s.site_id IS t.site_id AND s.callee_id = t.callee_id
LEFT JOIN o ON o.caller_id IS t.caller_id AND o.site_id IS t.site_id AND o.callee_id = t.callee_id
WHERE t.wait_ns IS NOT coalesce(s.w, 0) OR t.preempted_ns IS NOT coalesce(s.p, 0) OR t.self_wait_ns IS NOT coalesce(o.w, 0)
   OR t.self_preempted_ns IS NOT coalesce(o.p, 0) OR t.self_waits IS NOT coalesce(o.n, 0);
SELECT 'threads off', t.id FROM threads t
WHERE t.wait_ns IS NOT (SELECT coalesce(sum(wait_ns), 0) FROM main.gaps g WHERE g.thread_id = t.id)
   OR t.preempted_ns IS NOT (SELECT coalesce(sum(preempted_ns), 0) FROM main.gaps g WHERE g.thread_id = t.id)
   OR t.self_wait_ns IS NOT (SELECT coalesce(sum(wait_ns), 0) FROM own g WHERE g.thread_id = t.id)
   OR t.self_preempted_ns IS NOT (SELECT coalesce(sum(preempted_ns), 0) FROM own g WHERE g.thread_id = t.id)
   OR t.self_waits IS NOT (SELECT count(*) FROM own g WHERE g.thread_id = t.id AND wait_ns > 0);
WITH s AS (SELECT function_id, cpu, row_number() OVER (PARTITION BY function_id ORDER BY cpu) AS rank,
                  count(*) OVER (PARTITION BY function_id) AS finished FROM made WHERE ended < 2)
SELECT 'quantiles', t.function_id, t.median_ns, t.p99_ns, m.cpu, p.cpu FROM function_stats t
LEFT JOIN s m ON m.function_id = t.function_id AND m.rank = (m.finished + 1) / 2
LEFT JOIN s p ON p.function_id = t.function_id AND p.rank = (p.finished * 99 + 99) / 100
WHERE (t.finished = 0) <> (t.median_ns IS NULL) OR (t.finished > 0 AND m.cpu IS NULL)
   OR abs(t.median_ns - m.cpu) * 30 > m.cpu OR abs(t.p99_ns - p.cpu) * 30 > p.cpu;
WITH s AS (SELECT DISTINCT p.function_id AS caller_id, p.site_id AS caller_site_id, f.site_id, f.function_id AS callee_id
           FROM frames f LEFT JOIN frames p ON p.id = f.parent_id),
     t AS (SELECT caller_id, caller_site_id, site_id, callee_id FROM context_edges)
SELECT 'context_edges', * FROM (SELECT * FROM t EXCEPT SELECT * FROM s)
UNION ALL SELECT 'context_edges', * FROM (SELECT * FROM s EXCEPT SELECT * FROM t)
UNION ALL SELECT 'context_edges', t.* FROM t GROUP BY 2, 3, 4, 5 HAVING count(*) > 1;
CREATE TEMP TABLE paused AS -- each pause with its call's frame and function, and what called that
  SELECT x.thread_id, x.call_id, x.paused_ns, c.frame_id, f.function_id, f.site_id, pf.function_id AS caller_id
  FROM main.pauses x JOIN calls c ON c.id = x.call_id JOIN frames f ON f.id = c.frame_id
       LEFT JOIN calls p ON p.id = c.parent_id LEFT JOIN frames pf ON pf.id = p.frame_id;
SELECT 'pauses.frame_id', x.id FROM main.pauses x LEFT JOIN calls c ON c.id = x.call_id
WHERE x.frame_id IS NOT c.frame_id OR x.thread_id IS NOT c.thread_id;
SELECT 'paused outside of callees', c.id FROM calls c JOIN (SELECT call_id, sum(paused_ns) AS ns FROM paused GROUP BY 1) p ON p.call_id = c.id
WHERE c.id NOT IN (SELECT call_id FROM cut_calls)
  AND c.children_ns <> p.ns + (SELECT coalesce(sum(duration_ns), 0) FROM calls k WHERE k.parent_id = c.id);
SELECT 'function_stats paused', t.function_id FROM function_stats t LEFT JOIN (SELECT function_id, sum(paused_ns) AS ns FROM paused GROUP BY 1) p USING (function_id)
WHERE t.paused_ns IS NOT coalesce(p.ns, 0);
SELECT 'frames paused', t.id FROM frames t LEFT JOIN (SELECT frame_id, sum(paused_ns) AS ns FROM paused GROUP BY 1) p ON p.frame_id = t.id
WHERE t.paused_ns IS NOT coalesce(p.ns, 0);
SELECT 'thread_functions paused', t.thread_id, t.function_id FROM thread_functions t
LEFT JOIN (SELECT thread_id, function_id, sum(paused_ns) AS ns FROM paused GROUP BY 1, 2) p USING (thread_id, function_id)
WHERE t.paused_ns IS NOT coalesce(p.ns, 0);
SELECT 'edges paused', t.id FROM edges t LEFT JOIN (SELECT caller_id, site_id, function_id, sum(paused_ns) AS ns FROM paused GROUP BY 1, 2, 3) p
  ON p.caller_id IS t.caller_id AND p.site_id IS t.site_id AND p.function_id = t.callee_id
WHERE t.paused_ns IS NOT coalesce(p.ns, 0);
SELECT 'threads paused', t.id FROM threads t WHERE t.paused_ns IS NOT (SELECT coalesce(sum(paused_ns), 0) FROM paused p WHERE p.thread_id = t.id);
WITH s AS (SELECT deadlock, max(start_ns) AS ns FROM lock_waits WHERE deadlock IS NOT NULL GROUP BY deadlock)
SELECT 'deadlocks', * FROM (SELECT ns FROM s EXCEPT SELECT ns FROM incidents WHERE kind = 'deadlock')
UNION ALL SELECT 'deadlocks', * FROM (SELECT ns FROM incidents WHERE kind = 'deadlock' EXCEPT SELECT ns FROM s);
WITH long AS (SELECT c.id, c.thread_id, c.enter_ns, c.duration_ns, c.depth, f.function_id
              FROM calls c JOIN frames f ON f.id = c.frame_id JOIN threads t ON t.id = c.thread_id WHERE c.duration_ns >= t.long_ns)
SELECT 'long_calls', coalesce(l.call_id, c.id) FROM long c FULL JOIN long_calls l ON l.call_id = c.id
WHERE l.thread_id IS NOT c.thread_id OR l.enter_ns IS NOT c.enter_ns OR l.duration_ns IS NOT c.duration_ns OR l.depth IS NOT c.depth
   OR l.function_id IS NOT c.function_id OR NOT (l.duration_ns >= 1 << 2 * (l.class - 1) AND l.duration_ns < 1 << 2 * l.class);
WITH run_slice AS (SELECT value AS ns FROM run WHERE key = 'slice_ns'),
     e AS (SELECT c.thread_id, c.enter_ns / ns AS slice, f.function_id, c.self_ns, c.duration_ns < ns AND c.descendants < 1000 AS short
           FROM calls c JOIN frames f ON f.id = c.frame_id, run_slice),
     g AS (SELECT thread_id, slice, function_id, count(*) AS calls, sum(short) AS shorts, sum(CASE WHEN short THEN self_ns ELSE 0 END) AS ns
           FROM e GROUP BY thread_id, slice, function_id),
     s AS (SELECT thread_id, slice, sum(calls) OVER w AS calls, sum(ns) OVER w AS ns, CASE WHEN shorts > 0 THEN function_id END AS function_id,
                  CASE WHEN shorts > 0 THEN ns ELSE 0 END AS function_ns,
                  row_number() OVER (PARTITION BY thread_id, slice ORDER BY shorts > 0 DESC, ns DESC, function_id) AS place
           FROM g WINDOW w AS (PARTITION BY thread_id, slice))
SELECT 'slices', s.thread_id, s.slice FROM (SELECT * FROM s WHERE place = 1) s FULL JOIN slices t USING (thread_id, slice)
WHERE t.calls IS NOT s.calls OR t.short_ns IS NOT s.ns OR t.function_id IS NOT s.function_id OR t.function_ns IS NOT s.function_ns;
