-- Labels that every run has, and those given with --label, which take their place.
WITH first AS (SELECT executable FROM processes ORDER BY id LIMIT 1),
     usual(key, value) AS (
       SELECT 'program', file_name(coalesce((SELECT executable FROM first), ''))
       UNION ALL SELECT 'host', coalesce((SELECT CAST(value AS TEXT) FROM run WHERE key = 'host'), '')
       UNION ALL SELECT 'build', coalesce((SELECT m.build_id FROM first JOIN modules m ON m.path = first.executable
                                           ORDER BY m.id LIMIT 1), '')
       UNION ALL SELECT 'day', date(coalesce((SELECT CAST(value AS INTEGER) FROM run WHERE key = 'started'), 0), 'unixepoch')
       UNION ALL SELECT key, CAST(value AS TEXT) FROM run WHERE key IN ('rank', 'ranks'))
SELECT key, value FROM temp.given
UNION ALL
SELECT key, value FROM usual WHERE key NOT IN (SELECT key FROM temp.given)
