-- What memory_pair and memory_write must give, said in SQL over the model (schema m), which
-- test_memory.c attaches. Each statement that gives rows gives (name, differences, rows expected).

CREATE TEMP VIEW expected_allocs AS
  SELECT model.id, call_id, frame_id, thread_id, coalesce(site_id, 0) AS site_id, k.name AS kind, address, size, alloc_ns,
         free_ns, free_call_id, free_frame_id, free_thread_id,
         CASE WHEN free_ns IS NOT NULL THEN coalesce(free_site_id, 0) END AS free_site_id,
         f.name AS free_kind, realloc_of,
         CASE WHEN free_thread_id = thread_id THEN allocs_between END AS allocs_between, owner_call_id
  FROM m.model LEFT JOIN kinds k ON k.id = kind - 1 LEFT JOIN kinds f ON f.id = free_kind - 1;
CREATE TEMP VIEW actual_allocs AS
  SELECT id, call_id, frame_id, thread_id, coalesce(site_id, 0) AS site_id, kind, address, size, alloc_ns, free_ns,
         free_call_id, free_frame_id, free_thread_id,
         CASE WHEN free_ns IS NOT NULL THEN coalesce(free_site_id, 0) END AS free_site_id, free_kind,
         realloc_of, allocs_between, owner_call_id
  FROM main.allocs;
SELECT 'allocs', (SELECT count(*) FROM (SELECT * FROM expected_allocs EXCEPT SELECT * FROM actual_allocs))
               + (SELECT count(*) FROM (SELECT * FROM actual_allocs EXCEPT SELECT * FROM expected_allocs)),
       (SELECT count(*) FROM expected_allocs);
SELECT 'integrity', (SELECT integrity_check <> 'ok' FROM pragma_integrity_check LIMIT 1), 1;

-- Every change of live memory, in its order.
CREATE TEMP TABLE changes AS
  SELECT a.id, frame_id, coalesce(site_id, 0) AS site_id, kind, thread_id, alloc_ns AS ns, 1 AS blocks, size AS bytes
  FROM main.allocs a
  UNION ALL
  SELECT a.id, frame_id, coalesce(site_id, 0), kind, thread_id, free_ns, -1, -size
  FROM main.allocs a WHERE free_ns IS NOT NULL;

CREATE TEMP TABLE facts AS
  WITH live AS (SELECT ns, sum(blocks) OVER w AS blocks, sum(bytes) OVER w AS bytes
                FROM changes WINDOW w AS (ORDER BY ns, blocks)),
       peak AS (SELECT ns, blocks, bytes FROM live WHERE bytes > 0 ORDER BY bytes DESC, ns LIMIT 1)
  SELECT 'peak_ns' AS key, coalesce((SELECT ns FROM peak), 0) AS value
  UNION ALL SELECT 'peak_bytes', coalesce((SELECT bytes FROM peak), 0)
  UNION ALL SELECT 'peak_blocks', coalesce((SELECT blocks FROM peak), 0)
  UNION ALL SELECT 'total_allocs', count(*) FROM main.allocs
  UNION ALL SELECT 'total_alloc_bytes', coalesce(sum(size), 0) FROM main.allocs
  UNION ALL SELECT 'total_frees', count(free_ns) FROM main.allocs
  UNION ALL SELECT 'total_free_bytes', coalesce(sum(size) FILTER (WHERE free_ns IS NOT NULL), 0) FROM main.allocs;
SELECT 'run', count(*), 7 FROM (SELECT key, value FROM facts EXCEPT SELECT key, value FROM main.run);

CREATE TEMP VIEW stacks AS SELECT id, frame_id, coalesce(site_id, 0) AS site_id, kind FROM main.alloc_stacks;
CREATE TEMP TABLE blocks AS
  SELECT s.id AS stack_id, a.* FROM main.allocs a
  JOIN stacks s ON s.frame_id IS a.frame_id AND s.site_id = coalesce(a.site_id, 0) AND s.kind = a.kind;
CREATE TEMP TABLE expected_stacks AS
  WITH peak AS (SELECT value AS ns FROM facts WHERE key = 'peak_ns'),
       live AS (SELECT frame_id, site_id, kind, sum(blocks) OVER w AS blocks, sum(bytes) OVER w AS bytes
                FROM changes WINDOW w AS (PARTITION BY frame_id, site_id, kind ORDER BY ns, blocks)),
       most AS (SELECT frame_id, site_id, kind, max(blocks) AS blocks, max(bytes) AS bytes
                FROM live GROUP BY 1, 2, 3)
  SELECT b.stack_id, b.frame_id, coalesce(b.site_id, 0), b.kind, count(*), sum(size), count(free_ns),
         coalesce(sum(size) FILTER (WHERE free_ns IS NOT NULL), 0), most.blocks, most.bytes,
         count(*) FILTER (WHERE alloc_ns <= peak.ns AND (free_ns IS NULL OR free_ns > peak.ns)),
         coalesce(sum(size) FILTER (WHERE alloc_ns <= peak.ns AND (free_ns IS NULL OR free_ns > peak.ns)), 0),
         min(size), max(size), coalesce(sum(free_ns - alloc_ns), 0), max(free_ns - alloc_ns),
         count(*) FILTER (WHERE free_thread_id <> thread_id), min(alloc_ns), max(alloc_ns),
         min(b.id), max(b.id), min(b.id) FILTER (WHERE free_ns IS NULL), max(b.id) FILTER (WHERE free_ns IS NULL)
  FROM blocks b, peak
  JOIN most ON most.frame_id IS b.frame_id AND most.site_id = coalesce(b.site_id, 0) AND most.kind = b.kind
  GROUP BY b.stack_id;
CREATE TEMP VIEW actual_stacks AS
  SELECT id, frame_id, coalesce(site_id, 0), kind, blocks, bytes, freed_blocks, freed_bytes, live_blocks_max,
         live_bytes_max, peak_blocks, peak_bytes, min_size, max_size, lifetime_ns, lifetime_max_ns,
         cross_thread_frees, first_ns, last_ns, first_alloc_id, last_alloc_id, first_live_id, last_live_id
  FROM main.alloc_stacks;
SELECT 'alloc_stacks', (SELECT count(*) FROM (SELECT * FROM expected_stacks EXCEPT SELECT * FROM actual_stacks))
     + abs((SELECT count(*) FROM expected_stacks) - (SELECT count(*) FROM actual_stacks)),
     (SELECT count(*) FROM expected_stacks);

-- SMALL: what follows is only run on small models.

-- The first 64 sizes of a stack, in the order of their first blocks, have rows of their own.
CREATE TEMP TABLE expected_sizes AS
  WITH firsts AS (SELECT stack_id, size, row_number() OVER (PARTITION BY stack_id ORDER BY min(id)) AS rank
                  FROM blocks GROUP BY 1, 2)
  SELECT b.stack_id, CASE WHEN rank <= 64 THEN b.size ELSE -1 END AS size, count(*) AS blocks
  FROM blocks b JOIN firsts USING(stack_id, size) GROUP BY 1, 2;
SELECT 'alloc_sizes', (SELECT count(*) FROM (SELECT * FROM expected_sizes EXCEPT SELECT * FROM main.alloc_sizes))
     + (SELECT count(*) FROM (SELECT * FROM main.alloc_sizes EXCEPT SELECT * FROM expected_sizes)),
     (SELECT count(*) FROM expected_sizes);

CREATE TEMP TABLE expected_distances AS
  SELECT stack_id, allocs_between, count(*), sum(size) FROM blocks WHERE allocs_between <= 15 GROUP BY 1, 2;
SELECT 'alloc_distances', (SELECT count(*) FROM (SELECT * FROM expected_distances EXCEPT SELECT * FROM main.alloc_distances))
     + (SELECT count(*) FROM (SELECT * FROM main.alloc_distances EXCEPT SELECT * FROM expected_distances)),
     (SELECT count(*) FROM expected_distances);

CREATE TEMP TABLE expected_flows AS
  SELECT stack_id, free_frame_id, coalesce(free_site_id, 0), thread_id, free_thread_id, count(*), sum(size),
         sum(free_ns - alloc_ns), max(free_ns - alloc_ns), sum(k.family <> f.family),
         sum(k.family <> f.family) > 0
  FROM blocks b JOIN kinds k ON k.name = b.kind JOIN kinds f ON f.name = b.free_kind GROUP BY 1, 2, 3, 4, 5;
CREATE TEMP VIEW actual_flows AS
  SELECT stack_id, free_frame_id, coalesce(free_site_id, 0), alloc_thread_id, free_thread_id, blocks, bytes,
         residence_ns, residence_max_ns, mismatched, example_mismatch_id IS NOT NULL FROM main.block_flows;
SELECT 'block_flows', (SELECT count(*) FROM (SELECT * FROM expected_flows EXCEPT SELECT * FROM actual_flows))
     + abs((SELECT count(*) FROM expected_flows) - (SELECT count(*) FROM actual_flows)),
     (SELECT count(*) FROM expected_flows);
SELECT 'block_flows: examples', count(*), 0 FROM main.block_flows w LEFT JOIN blocks b ON b.id = w.example_alloc_id
  LEFT JOIN blocks x ON x.id = w.example_mismatch_id
  LEFT JOIN kinds k ON k.name = x.kind LEFT JOIN kinds f ON f.name = x.free_kind
  WHERE b.stack_id IS NOT w.stack_id OR b.free_frame_id IS NOT w.free_frame_id OR k.family = f.family;

CREATE INDEX temp.blocks_realloc ON blocks(realloc_of);
CREATE INDEX temp.blocks_id ON blocks(id);
CREATE TEMP TABLE expected_chains AS
  WITH RECURSIVE chain(first, at, length, moves, copied) AS (
    SELECT id, id, 0, 0, 0 FROM blocks WHERE realloc_of IS NULL
    UNION ALL
    SELECT first, n.id, length + 1, moves + (n.address <> o.address),
           copied + CASE WHEN n.address <> o.address THEN min(n.size, o.size) ELSE 0 END
    FROM chain JOIN blocks o ON o.id = at JOIN blocks n ON n.realloc_of = at)
  SELECT first, at, l.stack_id, length, moves, copied, f.size AS first_size, l.size AS last_size
  FROM chain JOIN blocks f ON f.id = first JOIN blocks l ON l.id = at
  WHERE length >= 2 AND NOT EXISTS (SELECT 1 FROM blocks n WHERE n.realloc_of = at);
CREATE TEMP VIEW actual_chains AS
  SELECT first_alloc_id, last_alloc_id, stack_id, length, moves, copied_bytes, first_size, last_size FROM main.alloc_chains;
SELECT 'alloc_chains', (SELECT count(*) FROM (SELECT * FROM expected_chains EXCEPT SELECT * FROM actual_chains))
     + abs((SELECT count(*) FROM expected_chains) - (SELECT count(*) FROM actual_chains)),
     (SELECT count(*) FROM expected_chains);

-- frames and functions
CREATE TEMP TABLE own AS
  SELECT f.id,
    (SELECT count(*) FROM main.allocs WHERE frame_id = f.id), (SELECT coalesce(sum(size), 0) FROM main.allocs WHERE frame_id = f.id),
    (SELECT count(*) FROM main.allocs WHERE free_frame_id = f.id), (SELECT coalesce(sum(size), 0) FROM main.allocs WHERE free_frame_id = f.id)
  FROM frame_totals f;
SELECT 'frames', count(*), 12 FROM (SELECT * FROM own EXCEPT SELECT * FROM frame_totals);
SELECT 'functions, own', count(*), 12 FROM
  (SELECT * FROM own EXCEPT SELECT id + 100, allocs, alloc_bytes, frees, free_bytes FROM function_totals);
SELECT 'functions, live_max', count(*), 12 FROM (
  SELECT f.id, coalesce(max(l.blocks), 0), coalesce(max(l.bytes), 0) FROM function_totals f
  LEFT JOIN (SELECT frame_id, sum(blocks) OVER w AS blocks, sum(bytes) OVER w AS bytes
             FROM changes WINDOW w AS (PARTITION BY frame_id ORDER BY ns, blocks)) l ON l.frame_id = f.id + 100
  GROUP BY f.id
  EXCEPT SELECT id, live_blocks_max, live_bytes_max FROM function_totals);

SELECT 'no errors', (SELECT count(*) FROM main.free_errors) + (SELECT count(*) FROM main.anomalies) + (SELECT count(*) FROM main.losses), 0;

-- frame ids are function ids + 100 in this test
CREATE TEMP TABLE expected_owners AS
  SELECT b.stack_id, c.frame_id, count(*), sum(size) FROM blocks b JOIN m.model_calls c ON c.id = b.owner_call_id GROUP BY 1, 2;
CREATE TEMP VIEW actual_owners AS SELECT stack_id, owner_frame_id, blocks, bytes FROM main.alloc_owners;
SELECT 'alloc_owners', (SELECT count(*) FROM (SELECT * FROM expected_owners EXCEPT SELECT * FROM actual_owners))
     + abs((SELECT count(*) FROM expected_owners) - (SELECT count(*) FROM actual_owners)),
     (SELECT count(*) FROM expected_owners);

CREATE TEMP TABLE expected_timeline AS
  WITH steps AS (SELECT step, end_ns, lag(end_ns, 1, 0) OVER (ORDER BY step) AS start_ns
                 FROM main.memory_steps WHERE thread_id = 0),
       threads AS (SELECT 0 AS id UNION SELECT thread_id FROM changes),
       stepped AS (SELECT step, ns, thread_id, c.blocks, c.bytes,
                          sum(c.blocks) OVER w AS live_blocks, sum(c.bytes) OVER w AS live_bytes
                   FROM changes c JOIN steps ON ns >= start_ns AND ns < steps.end_ns
                   WINDOW w AS (PARTITION BY thread_id ORDER BY ns, c.blocks)),
       sums AS (SELECT step, thread_id,
                       sum(blocks = 1) AS allocs, coalesce(sum(bytes) FILTER (WHERE blocks = 1), 0) AS alloc_bytes,
                       sum(blocks = -1) AS frees, coalesce(-sum(bytes) FILTER (WHERE blocks = -1), 0) AS free_bytes
                FROM stepped GROUP BY 1, 2),
       ends AS (SELECT step, thread_id, live_bytes, live_blocks,
                       row_number() OVER (PARTITION BY step, thread_id ORDER BY ns DESC, blocks DESC) AS back
                FROM stepped)
  SELECT step, thread_id, live_bytes, live_blocks, live_bytes AS max_live_bytes, allocs, alloc_bytes, frees, free_bytes
  FROM sums JOIN ends USING(step, thread_id) WHERE back = 1;
CREATE TEMP VIEW actual_timeline AS
  SELECT step, thread_id, live_bytes, live_blocks, max_live_bytes, allocs, alloc_bytes, frees, free_bytes
  FROM main.memory_steps WHERE thread_id <> 0;
SELECT 'memory_steps: threads', (SELECT count(*) FROM (SELECT * FROM expected_timeline EXCEPT SELECT * FROM actual_timeline))
     + abs((SELECT count(*) FROM expected_timeline) - (SELECT count(*) FROM actual_timeline)),
     (SELECT count(*) FROM expected_timeline);
CREATE TEMP TABLE expected_all AS
  WITH steps AS (SELECT step, end_ns, lag(end_ns, 1, 0) OVER (ORDER BY step) AS start_ns
                 FROM main.memory_steps WHERE thread_id = 0),
       live AS (SELECT ns, blocks AS change, bytes AS bytes_change,
                       sum(blocks) OVER w AS blocks, sum(bytes) OVER w AS bytes
                FROM changes WINDOW w AS (ORDER BY ns, blocks))
  SELECT step,
         coalesce((SELECT bytes FROM live WHERE ns < end_ns ORDER BY ns DESC, change DESC LIMIT 1), 0),
         max(coalesce((SELECT max(bytes) FROM live WHERE ns >= start_ns AND ns < end_ns), 0),
             coalesce((SELECT bytes FROM live WHERE ns < start_ns ORDER BY ns DESC, change DESC LIMIT 1), 0)),
         (SELECT count(*) FROM live WHERE ns >= start_ns AND ns < end_ns AND change = 1),
         (SELECT coalesce(sum(bytes_change), 0) FROM live WHERE ns >= start_ns AND ns < end_ns AND change = 1)
  FROM steps WHERE step % 50 = 7 OR step > 990;
SELECT 'memory_steps: all', count(*), (SELECT count(*) FROM expected_all) FROM
  (SELECT * FROM expected_all EXCEPT
   SELECT step, live_bytes, max_live_bytes, allocs, alloc_bytes FROM main.memory_steps WHERE thread_id = 0);

CREATE TEMP TABLE sums AS -- what happened within each call
  SELECT c.*,
    (SELECT count(*) FROM main.allocs WHERE call_id BETWEEN c.id AND c.id + descendants) AS allocs,
    (SELECT coalesce(sum(size), 0) FROM main.allocs WHERE call_id BETWEEN c.id AND c.id + descendants) AS alloc_bytes,
    (SELECT count(*) FROM main.allocs WHERE free_call_id BETWEEN c.id AND c.id + descendants) AS frees,
    (SELECT coalesce(sum(size), 0) FROM main.allocs WHERE free_call_id BETWEEN c.id AND c.id + descendants) AS free_bytes,
    (SELECT coalesce(sum(size), 0) FROM main.allocs
     WHERE free_call_id BETWEEN c.id AND c.id + descendants AND free_thread_id = thread_id) AS own_free_bytes
  FROM m.model_calls c;
SELECT 'functions, total', count(*), 12 FROM (
  SELECT f.id, coalesce(sum(s.allocs), 0), coalesce(sum(s.alloc_bytes), 0), coalesce(sum(s.frees), 0), coalesce(sum(s.free_bytes), 0)
  FROM function_totals f LEFT JOIN sums s ON s.frame_id = f.id + 100 AND outermost GROUP BY f.id
  EXCEPT SELECT id, total_allocs, total_alloc_bytes, total_frees, total_free_bytes FROM function_totals);
-- Frees of blocks that another thread has allocated where one's own lay are the exception that
-- memory.h tells of; without them (one thread) leaks are exact.
SELECT 'functions, leaks', count(*) * ((SELECT count(DISTINCT thread_id) FROM m.model_calls) <= 1), 12 FROM (
  SELECT f.id, count(s.id), coalesce(sum(s.alloc_bytes - s.own_free_bytes), 0), coalesce(max(s.alloc_bytes - s.own_free_bytes), 0)
  FROM function_totals f LEFT JOIN sums s ON s.frame_id = f.id + 100 AND ended IN (0, 1) AND s.alloc_bytes > s.own_free_bytes
  GROUP BY f.id
  EXCEPT SELECT id, leaking_calls, leaked_bytes, worst_leak_bytes FROM function_totals);
SELECT 'functions, worst leak', count(*), 12 FROM function_totals f JOIN sums s ON s.id = f.worst_leak_call_id
  WHERE (SELECT count(DISTINCT thread_id) FROM m.model_calls) <= 1
    AND (s.frame_id <> f.id + 100 OR s.alloc_bytes - own_free_bytes <> f.worst_leak_bytes);
