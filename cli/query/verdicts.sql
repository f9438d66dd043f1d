-- The statements of verdicts.c.

-- statement: unchecked
-- What this run cannot tell, and the command that records it.
WITH command AS (
       SELECT coalesce((SELECT value FROM run WHERE key = 'command' AND value NOT GLOB '*[^-A-Za-z0-9_./=,:+@% ]*'),
                       'PROGRAM') AS text)
SELECT 'waiting, processor time, memory and errors: ' || value || ' does not record them'
FROM run WHERE key = 'source'
UNION ALL
SELECT 'who holds the locks: fisql run --locks ' || text FROM command
WHERE NOT EXISTS (SELECT 1 FROM locks) AND NOT EXISTS (SELECT 1 FROM run WHERE key = 'source')
      AND (SELECT count(*) FROM threads) > (SELECT count(*) FROM processes)
UNION ALL
SELECT 'repeated results, ignored errors: fisql run --values ' || text FROM command
WHERE NOT EXISTS (SELECT 1 FROM parameters) AND NOT EXISTS (SELECT 1 FROM run WHERE key = 'source')
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
