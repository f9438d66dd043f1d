-- The statements of verdicts.c.

-- statement: unchecked
-- What this run cannot tell, and the command that records it.
WITH command AS (SELECT command AS text FROM command_again),
     -- the one that takes most time itself, of those with calls long enough for calls of libraries, if these take a
     -- quarter of the time
     longest AS (
       SELECT f.name
       FROM (SELECT function_id, max(self_cpu_ns) AS longest_ns, total(self_cpu_ns) AS ns FROM function_stats
             WHERE self_cpu_ns >= 500 * calls) s JOIN functions f ON f.id = s.function_id
       WHERE s.ns > 0 AND s.ns * 4 >= (SELECT total(self_cpu_ns) FROM function_stats)),
     libraries AS ( -- some that are not recorded; which of them it calls is not known
       SELECT m.id FROM modules m
       WHERE m.patched IS NULL AND m.name GLOB 'lib*' AND m.name NOT GLOB 'libfisql*'
             AND NOT EXISTS (SELECT 1 FROM functions f WHERE f.module_id = m.id AND f.instrumented))
SELECT 'waiting, processor time, memory and errors: ' || value || ' does not record them'
FROM run WHERE key = 'source'
UNION ALL
SELECT 'who holds the locks: fisql run --locks ' || text FROM command
WHERE NOT EXISTS (SELECT 1 FROM locks) AND NOT EXISTS (SELECT 1 FROM run WHERE key = 'source')
      AND (SELECT count(*) FROM threads) > (SELECT count(*) FROM processes)
UNION ALL
SELECT 'what libraries take of ' || f.name || '''s time: fisql run --library-calls ' || c.text
FROM command c, longest f
WHERE EXISTS (SELECT 1 FROM libraries) AND NOT EXISTS (SELECT 1 FROM run WHERE key = 'source')
      AND NOT EXISTS (SELECT 1 FROM run WHERE key = 'options' AND value GLOB '*library-calls*')
UNION ALL
SELECT 'repeated results, ignored errors: ' || CASE
         WHEN EXISTS (SELECT 1 FROM main.functions WHERE instrumented AND file_id IS NOT NULL) THEN 'fisql run --values ' || text
         ELSE 'they need the program''s debug information' END
FROM command
WHERE NOT EXISTS (SELECT 1 FROM parameters p JOIN main.functions f ON f.id = p.function_id WHERE NOT f.external)
      AND NOT EXISTS (SELECT 1 FROM run WHERE key = 'source')
UNION ALL
SELECT 'what happens where calls fail: fisql faults ' || text FROM command
WHERE NOT EXISTS (SELECT 1 FROM experiments) AND NOT EXISTS (SELECT 1 FROM run WHERE key = 'source')

-- statement: lock
-- The lock that a finding on this function (?1) with these words (?2) is about, if it is one that threads can do without.
SELECT w.lock_id
FROM functions f JOIN frames fr ON fr.function_id = f.id JOIN lock_waits w ON w.frame_id = fr.id
     JOIN lock_details l ON l.id = w.lock_id
WHERE f.name = ?1 AND l.kind IN ('mutex', 'recursive mutex', 'rwlock', 'spin lock') AND instr(?2, ' for ' || l.name || ', ') > 0
GROUP BY w.lock_id ORDER BY total(w.wait_ns) DESC, w.lock_id LIMIT 1
