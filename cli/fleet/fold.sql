-- The statements of fold.c.

-- statement: groups
-- The groups that are to become batches.
CREATE TEMP TABLE unfolded AS
SELECT r.run_id, r.build, coalesce(l.value, '') AS day
FROM runs r LEFT JOIN labels l ON l.run_id = r.run_id AND l.key IS 'day'
WHERE r.run_id NOT IN (SELECT run_id FROM batches);
CREATE TEMP TABLE folds AS
SELECT build, day, count(*) AS runs FROM temp.unfolded GROUP BY build, day

-- statement: next
-- The next of them: its runs become the table folding.
DROP TABLE IF EXISTS temp.folding;
CREATE TEMP TABLE folding AS
SELECT run_id
FROM temp.unfolded
WHERE (build, day) = (SELECT build, day FROM temp.folds ORDER BY build, day LIMIT 1);
DELETE FROM temp.folds
WHERE (build, day) = (SELECT build, day FROM temp.folds ORDER BY build, day LIMIT 1)

-- statement: choose
-- Two hosts that summed up at once have put a run into two batches: of batches that share one, that with the
-- smaller id counts.
CREATE TEMP TABLE whole AS
SELECT b.batch_id, min(c.side) AS side
FROM batches b JOIN temp.chosen c ON c.run_id = b.run_id
GROUP BY b.batch_id
HAVING count(*) = max(b.runs) AND min(c.side) = max(c.side);
CREATE TEMP TABLE placed AS
SELECT b.run_id, b.batch_id
FROM batches b
WHERE b.batch_id IN (SELECT batch_id FROM temp.whole);
CREATE INDEX temp.placed_by_run ON placed(run_id, batch_id);
CREATE TEMP TABLE batch AS
SELECT batch_id, side
FROM temp.whole w
WHERE NOT EXISTS (SELECT 1 FROM temp.placed mine JOIN temp.placed other ON other.run_id = mine.run_id
       AND other.batch_id < mine.batch_id WHERE mine.batch_id = w.batch_id);
CREATE TEMP TABLE single AS
SELECT run_id, side
FROM temp.chosen
WHERE run_id NOT IN (SELECT run_id FROM temp.placed WHERE batch_id IN (SELECT batch_id FROM temp.batch))
