-- title:       Completeness
-- question:    Is anything missing from the recording?
-- group:       Trust
-- description: What the log or the database lacks, and which results are affected. No rows: nothing
--              is missing.
-- advice:      The rows of a run with losses are sound. Its counts are lower bounds, and what is
--              listed as dead or not freed may have been called or freed in the part that is
--              missing. Record again if that matters.
-- source:      gaps in the chunks' sequences, checksums, what the collector counted as lost
-- report:      errors
-- column:      what | - | is missing
-- column:      times | times | it happened
-- column:      calls | calls | concerned, as far as known
-- column:      chunks | chunks | concerned, as far as known
-- column:      bytes | bytes | concerned, as far as known
-- column:      touches | - | the results that it touches
-- column:      detail | - | more of the first one
WITH lacks AS (
       SELECT 0 AS weight, l.reason AS what, count(*) AS times, sum(l.calls) AS calls, sum(l.chunks) AS chunks,
              sum(l.bytes) AS bytes,
              CASE l.reason WHEN 'nothing was recorded' THEN 'all of them'
              ELSE 'counts and times are lower bounds; dead-code, not-freed, callers may name too much' END AS touches,
              min(l.detail) AS detail
       FROM losses l GROUP BY l.reason
       UNION ALL
       SELECT 1, 'calls before the ring (record --ring)', 1, CAST(value AS INTEGER), NULL, NULL,
              'counts and times are of the last part only; dead-code, not-freed, callers may name too much',
              NULL
       FROM run WHERE key = 'ring_dropped_calls'
       UNION ALL
       SELECT 1, 'earlier logs (record --rotate)', CAST(r.value AS INTEGER), CAST(c.value AS INTEGER), NULL, NULL,
              'counts and times are of this log only; dead-code, not-freed, callers may name too much', NULL
       FROM run r LEFT JOIN run c ON c.key = 'earlier_calls' WHERE r.key = 'earlier_logs'
       UNION ALL
       SELECT 1, 'later logs (record --rotate)', 1, NULL, NULL, NULL,
              'calls that are open at the end of this log end in a later one', NULL
       FROM run WHERE key = 'continued'
       UNION ALL
       SELECT 1, 'callees of calls that were open where the ring or this log begins', count(*), count(*), NULL, NULL,
              'their own time counts from where it begins; tree shows >', min(f.name)
       FROM cut_calls k JOIN functions f ON f.id = k.function_id HAVING count(*) > 0
       UNION ALL
       SELECT 1, 'calls counted, not recorded one by one', count(*), sum(s.counted_calls), NULL, NULL,
              'calls, outliers, slow-calls, sequences and histograms lack them; counts and totals have them',
              min(f.name)
       FROM function_stats s JOIN functions f ON f.id = s.function_id
       WHERE s.counted_calls > 0 HAVING count(*) > 0
       UNION ALL
       SELECT 2, 'names of functions of ' || m.name, count(*), sum(s.calls), NULL, NULL,
              'functions show as module+offset; dead-code and coverage cannot know the others',
              m.path || ': ' || coalesce(m.problem, 'no symbols')
       FROM function_stats s JOIN functions f ON f.id = s.function_id JOIN modules m ON m.id = f.module_id
       WHERE m.symbols = 'none' AND NOT EXISTS (SELECT 1 FROM run WHERE key = 'source') GROUP BY m.id
       UNION ALL
       SELECT 3, 'rows of calls' || coalesce(' (load --calls=' || r.value || ')', ''), 1, (SELECT sum(calls) FROM threads),
              NULL, NULL, 'stacks and instants of single calls; everything that is added up is there', l.value
       FROM (SELECT 1) LEFT JOIN run r ON r.key = 'calls' LEFT JOIN run l ON l.key = 'log'
       WHERE (SELECT sum(calls) FROM threads) > 0 AND (r.value IS NOT NULL OR (SELECT max(id) FROM calls) IS NULL)
       UNION ALL
       SELECT 5, 'allocations: a program has a malloc of its own', 1, NULL, NULL, NULL,
              'queries about memory lack that program', value
       FROM run WHERE key = 'alloc_own_malloc'
       UNION ALL
       SELECT 5, 'programs that were not followed', 1, NULL, NULL, NULL,
              'programs that they started are not recorded, if there were any with hooks', value
       FROM run WHERE key = 'not_followed'
       UNION ALL
       SELECT 5, 'what process ' || pid || ' did before it was attached to (record -p)', 1, NULL, NULL, NULL,
              'calls that were open then have no row; no allocations; dead-code may name what ran before',
              CASE how_ended WHEN 'detach' THEN 'it goes on' END
       FROM processes WHERE origin = 'attach'
       UNION ALL
       SELECT 5, 'what ' || r.value || ' does not record: ' || l.column1, 1, NULL, NULL, NULL, l.column2, NULL
       FROM run r CROSS JOIN (VALUES ('allocations', 'queries about memory find nothing'),
                                     ('call sites', 'where calls come from is known by function, not by line'),
                                     ('waiting and processor time', 'all time counts as processor time'),
                                     ('what the recording costs', 'times have it'),
                                     ('functions that were not called', 'dead-code and coverage find nothing')) l
       WHERE r.key = 'source'
       UNION ALL
       SELECT 4, 'end of process ' || p.pid, 1, NULL, NULL, NULL,
              'its last calls may be open; not-freed shows what lived when it ended',
              coalesce('signal ' || p.signal, p.how_ended)
       FROM last_images p
       WHERE p.how_ended = 'signal' OR (p.how_ended IS NULL AND NOT EXISTS (SELECT 1 FROM run WHERE key = 'continued'))
       UNION ALL
       SELECT 1, 'what was left out while the program ran', 1, NULL, NULL, NULL,
              'counts and times lack that; what called it has its time as self time', text
       FROM recording_limits
       UNION ALL
       SELECT 1, 'changes of the recording that have no row', 1, NULL, NULL, NULL,
              'what was left out may be more than is listed here', detail || ' more'
       FROM recording_changes WHERE what = 'more')
SELECT what, times, calls, chunks, bytes, touches, detail
FROM lacks
ORDER BY weight, calls DESC, times DESC, what
