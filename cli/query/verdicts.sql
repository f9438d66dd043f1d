-- The statements of verdicts.c.

-- statement: unchecked
-- What this run cannot tell, and the command that records it.
WITH command AS (
       SELECT coalesce((SELECT value FROM run WHERE key = 'command' AND value NOT GLOB '*[^-A-Za-z0-9_./=,:+@% ]*'),
                       'PROGRAM') AS text)
SELECT 'who holds the locks: fisql run --locks ' || text FROM command
WHERE NOT EXISTS (SELECT 1 FROM locks) AND (SELECT count(*) FROM threads) > (SELECT count(*) FROM processes)
UNION ALL
SELECT 'repeated results, ignored errors: fisql run --values ' || text FROM command
WHERE NOT EXISTS (SELECT 1 FROM parameters)
UNION ALL
SELECT 'what happens where calls fail: fisql faults ' || text FROM command
WHERE NOT EXISTS (SELECT 1 FROM experiments)
