-- The statements of contexts.c.

-- statement: chosen
-- The calls to make fail: the first of each context and site, of each site, or all of them. `sites` names the
-- sites from the call outwards, as the condition `at` takes them: contexts fold recursion, these do not, but for
-- the calls that were open when a process was forked, which only its contexts show.
CREATE TEMP TABLE chosen AS
WITH RECURSIVE marked AS (
       SELECT x.*, row_number() OVER w AS number, count(*)
              OVER (PARTITION BY x.rule_id, x.site_id, CASE ?1 WHEN 'site' THEN 0 ELSE x.frame_id END) AS calls
       FROM main.faults x
       WHERE x.frame_id IS NOT NULL AND x.call_id IS NOT NULL
       WINDOW w AS (PARTITION BY x.rule_id, x.site_id, CASE ?1 WHEN 'site' THEN 0 ELSE x.frame_id END ORDER BY x.ns,
              x.id)),
     wanted AS MATERIALIZED (SELECT * FROM marked WHERE ?1 = 'call' OR number = 1),
     named AS MATERIALIZED (
       SELECT s.id, m.name || '+' || printf('0x%x', s.address) AS place
       FROM main.sites s JOIN main.modules m ON m.id = s.module_id
       WHERE m.name NOT GLOB '*[ ,:"+]*' AND m.name <> ''),
     walk(id, call_id, frame_id, places) AS (
       SELECT k.id, k.call_id, NULL, n.place
       FROM wanted k JOIN named n ON n.id = k.site_id
       UNION ALL
       SELECT w.id, c.parent_id, CASE WHEN c.parent_id IS NULL THEN f.parent_id END, w.places || ',' || n.place
       FROM walk w
            LEFT JOIN main.calls c ON c.id = w.call_id
            CROSS JOIN main.frames f ON f.id = coalesce(c.frame_id, w.frame_id)
            JOIN named n ON n.id = f.site_id)
SELECT k.id, k.rule_id, k.frame_id, k.site_id, k.call_id, k.thread_id, k.calls, w.places, row_number()
       OVER (PARTITION BY k.rule_id, w.places ORDER BY k.ns, k.id) AS nth
FROM walk w JOIN wanted k ON k.id = w.id
WHERE w.call_id IS NULL AND w.frame_id IS NULL

-- statement: put
INSERT INTO main.experiments(id, target, rule, frame_id, site_id, call_id, thread_id, calls)
SELECT ?1, r.target, printf('%s nth=%d per=run at %s: fail', r.target, k.nth, k.places), k.frame_id, k.site_id,
       k.call_id, k.thread_id, k.calls
FROM temp.chosen k JOIN main.fault_rules r ON r.id = k.rule_id
WHERE k.id = ?2

-- statement: parents
SELECT id, coalesce(parent_id, 0) FROM main.frames WHERE id > 0 ORDER BY id

-- statement: nameless
SELECT count(DISTINCT rule_id || ' ' || coalesce(site_id, 0) || ' ' || frame_id)
FROM main.faults f
WHERE frame_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM temp.chosen c WHERE c.rule_id = f.rule_id
       AND c.site_id = f.site_id)
