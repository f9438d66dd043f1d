-- title:       Findings
-- question:    What is wrong with this run, and what would it save?
-- group:       Findings
-- description: The verdicts of all analyses in one list, worst first: errors, processor time, memory that is
--              copied again and again, waiting, memory that is lost or only grows. Each says what it would save,
--              how sure that is, which query proves it and which command would tell more. The digest and the
--              report's page show the same rows.
-- advice:      Begin with the first row and run its proof. What it would save is a guess for a build without
--              hooks; a row that says "perhaps" may be meant to be so. With all = 1 the largest things below the
--              thresholds follow: an empty list does not say that a run is perfect.
-- source:      the queries named in the column proof; waits weighed by the time of the threads that waited
-- report:      none
-- param:       min_cpu = 1 | % | of the run's processor time: leave out what would save less
-- param:       min_wait = 5 | % | of the lives of the threads that waited: leave out what waits less
-- param:       min_wait_ms = 10 | ms | leave out what waits less for files, sleeps or other programs, as a short run does
-- param:       min_memory = 10 | % | of the most memory that was live: leave out what loses or gathers less
-- param:       min_copied = 50 | % | of all allocated bytes: blocks that are replaced step by step, whatever time they take
-- param:       min_lost = 1000 | blocks | lost at one place are a finding if the program frees most, in each of processes that follow each other
-- param:       all = 0 | 0 or 1 | 1 = also the largest things that are no finding (is_finding = 0)
-- column:      rank | - | 1 = the worst
-- column:      finding | - | what it is, in a sentence
-- column:      kind | - | error, cpu, copying, waiting, memory or ignored error
-- column:      share | % | what it takes or would save, as a part of the next column
-- column:      share_of | - | CPU time (of other tools' traces: time in calls), the waiting threads' time, peak memory or allocated bytes
-- column:      saves_cpu_ns | ns | processor time that it would save
-- column:      saves_wait_ns | ns | waiting that it would save, at most
-- column:      saves_bytes | bytes | memory that it would save
-- column:      sure | - | certain, likely or perhaps
-- column:      function | - | that it is about
-- column:      location | - | where
-- column:      caller | - | that calls this function most
-- column:      called_from | - | where
-- column:      rows | rows | that the proof has of the kind
-- column:      proof | - | the query that shows it
-- column:      next | - | a command that would tell more
-- column:      is_finding | 0 or 1 | 0 = below the thresholds
WITH RECURSIVE params AS (
       SELECT coalesce(:min_cpu, 1) AS min_cpu, coalesce(:min_wait, 5) AS min_wait, coalesce(:min_wait_ms, 10) AS min_wait_ms,
              coalesce(:min_memory, 10) AS min_memory, coalesce(:min_copied, 50) AS min_copied,
              coalesce(:min_lost, 1000) AS min_lost, coalesce(:all, 0) AS every),
     whole AS MATERIALIZED (
       SELECT (SELECT total(self_cpu_ns) FROM function_stats) AS cpu_ns,
              -- other tools' traces do not tell it from waiting
              CASE WHEN EXISTS (SELECT 1 FROM run WHERE key = 'source') THEN 'time in calls' ELSE 'CPU time' END AS cpu,
              (SELECT coalesce(max(end_ns) - min(start_ns), 0) FROM threads) AS wall_ns,
              (SELECT coalesce(min(start_ns), 0) FROM threads) AS start_ns,
              -- the longest call that nothing called, main() mostly: without the program's start and end
              coalesce((SELECT max(raw_total_ns) FROM frames WHERE parent_id IS NULL AND calls = 1),
                       (SELECT max(end_ns) - min(start_ns) FROM threads), 0) AS main_ns,
              (SELECT total(self_cpu_ns) FROM threads) AS threads_cpu_ns,
              (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM run WHERE key = 'peak_bytes') AS peak_bytes,
              (SELECT total(bytes) FROM alloc_stacks) AS alloc_bytes,
              (SELECT total(self_wait_ns) FROM function_stats) AS wait_ns,
              EXISTS (SELECT 1 FROM locks) AS locks, (SELECT count(*) FROM threads) AS threads,
              EXISTS (SELECT 1 FROM parameters p JOIN functions f ON f.id = p.function_id WHERE NOT f.external) AS arguments,
              -- values need debug information
              EXISTS (SELECT 1 FROM functions WHERE instrumented AND file_id IS NOT NULL) AS described,
              -- could calls of libraries be recorded, and were they not? A static program has none
              NOT EXISTS (SELECT 1 FROM run WHERE key = 'source') AND NOT EXISTS (SELECT 1 FROM functions WHERE external)
              AND EXISTS (SELECT 1 FROM modules WHERE name GLOB 'lib*' AND name NOT GLOB 'libfisql*') AS libraries_unseen,
              (SELECT command FROM command_again) AS command),
     -- ---- errors: the first row of each query speaks for all ----
     errors(proof, words, function, location, sure, rows) AS MATERIALIZED (
       SELECT 'incidents', '{f} ({at}): ' || coalesce(message, '?'), function, location, 'certain', rows
       FROM (SELECT *, row_number() OVER () AS place, count(*) OVER () AS rows FROM incidents_view) WHERE place = 1
       UNION ALL
       SELECT 'bad-frees', '{f} ({at}) frees ' || coalesce(address, '?') || ', which is no block (' || error || ')',
              function, location, 'certain', rows
       FROM (SELECT *, row_number() OVER () AS place, count(*) OVER () AS rows FROM bad_frees) WHERE place = 1
       UNION ALL
       SELECT 'double-frees', '{f} ({at}) frees a block again that ' || coalesce(first_freed_by, '?') || ' has freed',
              function, location, 'certain', rows
       FROM (SELECT *, row_number() OVER () AS place, count(*) OVER () AS rows FROM double_frees) WHERE place = 1
       UNION ALL
       SELECT 'mismatched-frees', '{f} ({at}) frees with ' || coalesce(free_kind, '?') || ' what '
              || coalesce(allocated_by, '?') || ' allocated with ' || coalesce(kind, '?'),
              freed_by, freed_at, 'certain', rows
       FROM (SELECT *, row_number() OVER () AS place, count(*) OVER () AS rows FROM mismatched_frees) WHERE place = 1
       UNION ALL
       SELECT 'reference-errors', '{f} ({at}): ' || coalesce(problem, '?') || ', ' || times || ' times',
              function, location, 'certain', rows
       FROM (SELECT *, row_number() OVER () AS place, count(*) OVER () AS rows FROM reference_errors) WHERE place = 1
       UNION ALL
       SELECT 'lock-misuse', '{f} ({at}): ' || coalesce(misuse, '?') || ': ' || coalesce(lock, '?'),
              function, location, 'certain', rows
       FROM (SELECT *, row_number() OVER () AS place, count(*) OVER () AS rows FROM lock_misuse) WHERE place = 1
       UNION ALL
       SELECT 'lock-order', '{f} ({at}) wants ' || coalesce(wanted, '?') || ' while it holds ' || coalesce(held, '?')
              || ', another thread the other way round: a deadlock, if they meet', function, location, 'likely', rows
       FROM (SELECT *, row_number() OVER () AS place, count(*) OVER () AS rows FROM lock_order) WHERE place = 1
       UNION ALL
       SELECT 'fault-crashes', '{f} ({at}): ' || outcome || ' where ' || coalesce(targets, 'a call') || ' fails',
              NULL, found_location, 'certain', rows
       FROM (SELECT *, row_number() OVER () AS place, count(*) OVER () AS rows FROM fault_crashes) WHERE place = 1),
     ignored AS MATERIALIZED (
       SELECT *, row_number() OVER (ORDER BY dropped DESC, function) AS place, count(*) OVER () AS rows
       FROM failing_calls WHERE dropped > 0 AND passed_on = 0 AND errno IS NOT NULL),
     -- ---- calls of libraries (record --library-calls), by the own code around them ----
     library_up(frame_id, function_id, parent_id, site_id) AS (
       SELECT fr.id, f.id, fr.parent_id, fr.site_id
       FROM functions f CROSS JOIN recorded_frames fr ON fr.function_id = f.id WHERE f.external
       UNION ALL
       SELECT u.frame_id, u.function_id, up.parent_id, up.site_id
       FROM library_up u JOIN recorded_frames up ON up.id = u.parent_id JOIN functions f ON f.id = up.function_id
       WHERE f.own = 0 AND up.parent_id < up.id),
     library_lines AS MATERIALIZED (
       SELECT l.id AS library_id, l.name, l.system_call, c.id AS caller_id, c.name AS caller, u.site_id,
              sum(fr.calls) AS calls, total(fr.self_cpu_ns) AS cpu_ns, max(s.calls) AS caller_calls
       FROM library_up u JOIN functions l ON l.id = u.function_id JOIN recorded_frames fr ON fr.id = u.frame_id
            JOIN recorded_frames up ON up.id = u.parent_id JOIN functions c ON c.id = up.function_id AND c.own
            JOIN function_stats s ON s.function_id = c.id
       GROUP BY l.id, c.id, u.site_id),
     library_values AS ( -- what the system calls among them moved, and how often they failed
       SELECT p.function_id, v.calls, v.positive_sum / max(1.0, v.calls - coalesce(x.calls, 0)) AS bytes,
              coalesce(x.calls, 0) AS errors,
              (SELECT t.text FROM value_count_texts t WHERE t.parameter_id = x.parameter_id ORDER BY t.rank LIMIT 1) AS errno
       FROM parameters p JOIN parameter_stats v ON v.parameter_id = p.id
            LEFT JOIN parameters e ON e.function_id = p.function_id AND e.position = 31
            LEFT JOIN parameter_stats x ON x.parameter_id = e.id
       WHERE p.position = 0),
     library_patterns(proof, words, function, site_id, saves_ns, sure) AS MATERIALIZED (
       SELECT 'system-calls', '{f} ({at}) calls ' || l.name || ' ' || l.calls || ' times, '
              || CAST(round(v.bytes) AS INTEGER) || ' B each: '
              || CASE WHEN l.system_call GLOB 'p*read*' OR l.system_call GLOB 'read*' THEN 'read more at once'
                 ELSE 'gather them in a buffer' END,
              l.caller, l.site_id, l.cpu_ns * (1 - v.bytes / 4096),
              CASE WHEN l.system_call GLOB '*write*' AND v.bytes <> 8 THEN 'likely' ELSE 'perhaps' END
       FROM library_lines l JOIN library_values v ON v.function_id = l.library_id
       WHERE l.system_call IN ('read', 'pread64', 'write', 'pwrite64') AND l.calls >= 1000
         AND l.calls >= 2 * l.caller_calls AND v.bytes <= 256
         AND NOT (l.system_call = 'read' AND v.bytes = 8) -- an event's or a timer's
       UNION ALL
       SELECT 'system-calls', '{f} ({at}) calls ' || l.name || ' ' || l.calls || ' times, in vain'
              || CASE WHEN v.errors < v.calls THEN ' but for ' || (v.calls - v.errors) ELSE '' END
              || ' (' || coalesce(v.errno, '?') || '): ask once', l.caller, l.site_id, l.cpu_ns * v.errors / v.calls, 'perhaps'
       FROM library_lines l JOIN library_values v ON v.function_id = l.library_id
       WHERE l.system_call IS NOT NULL AND v.errors >= 1000 AND 10 * v.errors >= 9 * v.calls AND 10 * l.calls >= 9 * v.calls
         AND coalesce(v.errno, '?') NOT IN ('EAGAIN', 'EINTR', 'EINPROGRESS', 'ETIMEDOUT', '?')
       UNION ALL
       SELECT 'library-time',
              CASE WHEN l.name GLOB '*len' THEN '{f} ({at}) measures text with ' || l.name || ' ' || l.calls || ' times in '
                        || l.caller_calls || CASE l.caller_calls WHEN 1 THEN ' call' ELSE ' calls' END || ': keep its length'
              ELSE '{f} ({at}) appends with ' || l.name || ' ' || l.calls
                   || ' times, each time from the beginning: keep the end' END,
              l.caller, l.site_id, l.cpu_ns * (1 - 1.0 * l.caller_calls / l.calls),
              CASE WHEN l.cpu_ns >= 200 * l.calls THEN 'likely' ELSE 'perhaps' END
       FROM library_lines l
       WHERE l.name IN ('strlen', 'wcslen', 'strcat', 'wcscat') AND l.calls >= 1000 AND l.calls >= 64 * l.caller_calls
         AND l.cpu_ns >= 40 * l.calls -- else they are short
       UNION ALL
       SELECT 'library-time', '{f} ({at}) calls ' || l.name || ' ' || l.calls || ' times in ' || l.caller_calls
              || CASE l.caller_calls WHEN 1 THEN ' call' ELSE ' calls' END || ', to look again: wait for what it looks for',
              l.caller, l.site_id, l.cpu_ns, 'perhaps'
       FROM library_lines l
       WHERE (l.name GLOB '*sleep' OR l.name IN ('sched_yield', 'thrd_yield')) AND l.calls >= 100
         AND l.calls >= 64 * l.caller_calls),
     -- ---- processor time: the patterns' own guesses ----
     patterns(kind, proof, words, function, location, saves_ns, bytes, sure) AS MATERIALIZED (
       SELECT 'cpu', 'temporary-allocations',
              '{f} ({at}) allocates ' || temporary || ' blocks that are freed at once: keep one', function, location,
              -- beyond 1032 bytes glibc has no short way
              temporary * CASE WHEN bytes > 1032 * temporary THEN 100.0 ELSE 20.0 END, bytes, 'likely'
       FROM (SELECT function, location, sum(temporary) AS temporary, sum(bytes) AS bytes
             FROM temporary_allocations
             WHERE first_alloc NOT IN (SELECT a.first_alloc_id FROM replaced_apart r JOIN alloc_stacks a ON a.id = r.id)
             GROUP BY function, location)
       UNION ALL
       SELECT 'cpu', 'pool-candidates', '{f} ({at}) allocates ' || blocks || ' blocks of ' || sizes || ' bytes: ' || cure,
              function, location, blocks * 10.0, bytes, 'likely'
       FROM pool_candidates
       UNION ALL
       SELECT 'copying', 'realloc-chains',
              '{f} ({at}) grows blocks step by step, ' || reallocs || ' times, {bytes} copied: reserve', function,
              location, reallocs * 20.0 + copied_bytes / 10, copied_bytes, 'likely'
       FROM realloc_chains
       UNION ALL
       SELECT 'cpu', 'inline-candidates', '{f} stays a call, made ' || calls || ' times, most from '
              || coalesce(caller, '?') || ': with -flto, or in a header, they are gone', function, location, saved_ns, NULL,
              'likely'
       FROM inline_candidates
       UNION ALL
       SELECT 'cpu', 'proxies', '{f} only passes its ' || calls || ' calls on to ' || target, function, location,
              calls * 2.0, NULL, 'likely'
       FROM proxies
       UNION ALL
       SELECT 'cpu', 'tight-calls', '{f} is called ' || calls || ' times in an inner loop: inline it', function, location,
              calls * 2.0, NULL, 'likely'
       FROM tight_calls WHERE self_cpu_ns < 10 * calls -- else it works for longer than calling it takes
       UNION ALL
       SELECT 'cpu', 'finalizers',
              '{f} frees ' || frees || ' blocks after the work, as the end of the process does: leave out what only frees',
              function, location, cpu_ns, NULL, 'likely'
       FROM finalizers WHERE life = 'run' AND frees * 300 >= cpu_ns AND 4 * allocs <= frees
       UNION ALL
       SELECT 'cpu', 'repeated-arguments',
              '{f} computes ' || same_calls || ' results again that it gave before for the same arguments', function,
              location, saved_ns - same_calls * 50.0, NULL, 'likely'
       FROM repeated_arguments
       UNION ALL
       SELECT 'cpu', 'growing-calls',
              '{f} ({at}) takes longer the more often it was called' || CASE within WHEN 'caller' THEN ' in one call' ELSE '' END
              || ': ' || early || ', then ' || late || ': each seems to go through all that came before', function, location,
              saved * whole.cpu_ns / 100, NULL, CASE WHEN error <= 12 THEN 'likely' ELSE 'perhaps' END
       FROM (SELECT *, CASE by WHEN 'more calls' THEN early_callees || ' calls within it'
                       ELSE printf('%.2f us', early_ns / 1000.0) END AS early,
                    CASE by WHEN 'more calls' THEN CAST(late_callees AS TEXT) ELSE printf('%.2f us', late_ns / 1000.0) END AS late
             FROM growing_calls) CROSS JOIN whole
       WHERE saved >= 5 -- inputs get harder, too
       UNION ALL
       SELECT 'cpu', l.proof, l.words, l.function, s.location, l.saves_ns, NULL, l.sure
       FROM library_patterns l LEFT JOIN site_details s ON s.id = l.site_id),
     -- ---- copying: a block of another size takes the place of the last one, again and again ----
     replaced AS MATERIALIZED (
       SELECT a.id, p.function_id, p.frame_id, p.site_id, a.blocks, a.bytes, a.max_size, a.min_size
       FROM alloc_stacks a JOIN alloc_places p ON p.stack_id = a.id AND p.wrappers = 0
       WHERE a.kind NOT GLOB 'realloc*' AND a.blocks >= 64 AND a.max_size >= 4 * a.min_size
         AND 8 * a.live_blocks_max <= a.blocks AND a.bytes >= 8 * a.max_size
         AND (SELECT count(*) FROM alloc_sizes z WHERE z.stack_id = a.id) >= 32
         -- its successor is allocated before it is freed, and little else
         AND 10 * (SELECT total(d.blocks) FROM alloc_distances d
                   WHERE d.stack_id = a.id AND d.allocs_between BETWEEN 1 AND 3) >= 8 * a.blocks
         AND 10 * (SELECT total(b.blocks) FROM block_flows b JOIN free_places z ON z.flow_id = b.id AND z.wrappers = 0
                   WHERE b.stack_id = a.id AND z.function_id = p.function_id) >= 8 * a.blocks
         -- but not by the call that allocated it: that is scratch memory, unless one call grows many
         AND NOT (10 * (SELECT total(o.blocks) FROM alloc_owners o
                        WHERE o.stack_id = a.id AND o.owner_frame_id = p.frame_id) >= 8 * a.blocks
                  AND a.blocks <= 4 * (SELECT calls FROM frames WHERE id = p.frame_id))),
     -- the same where one function allocates and another one frees, such as a pool's: few blocks at a time, and
     -- sizes that are at half of the largest one in the mean, as where a text gets longer step by step
     replaced_apart AS MATERIALIZED (
       SELECT a.id, a.frame_id, o.owner_frame_id, a.blocks, a.bytes, a.max_size
       FROM alloc_stacks a JOIN alloc_owners o ON o.stack_id = a.id AND 10 * o.blocks >= 8 * a.blocks
       WHERE a.kind NOT GLOB 'realloc*' AND a.blocks >= 1000 AND a.max_size >= 16384 AND a.max_size >= 16 * a.min_size
         AND 100 * a.live_blocks_max <= a.blocks
         AND 3 * a.bytes BETWEEN a.blocks * a.max_size AND 2 * a.blocks * a.max_size
         AND (SELECT count(*) FROM alloc_sizes z WHERE z.stack_id = a.id) >= 64
         AND 10 * (SELECT total(d.blocks) FROM alloc_distances d
                   WHERE d.stack_id = a.id AND d.allocs_between BETWEEN 1 AND 3) >= 8 * a.blocks
         AND a.id NOT IN (SELECT id FROM replaced)
         AND a.blocks > 4 * (SELECT calls FROM frames WHERE id = o.owner_frame_id)),
     below_owner(id, frame_id) AS ( -- the frame that the owner calls on the way to the block
       SELECT id, frame_id FROM replaced_apart WHERE frame_id <> owner_frame_id
       UNION ALL
       SELECT b.id, fr.parent_id
       FROM below_owner b JOIN frames fr ON fr.id = b.frame_id JOIN replaced_apart r ON r.id = b.id
       WHERE fr.parent_id <> r.owner_frame_id AND fr.parent_id < fr.id),
     copied AS (
       SELECT o.function_id,
              (SELECT fr.site_id FROM below_owner b JOIN frames fr ON fr.id = b.frame_id
               WHERE b.id = r.id AND fr.parent_id = r.owner_frame_id) AS site_id, r.blocks, r.bytes, r.max_size,
              min(s.self_cpu_ns, r.blocks * 20.0 + r.bytes / 10) AS saves_ns
       FROM replaced_apart r JOIN frames o ON o.id = r.owner_frame_id JOIN function_stats s ON s.function_id = o.function_id
       UNION ALL
       SELECT r.function_id, r.site_id, r.blocks, r.bytes, r.max_size,
              -- what its calls take beyond the shortest one, which had little to copy; the slowest copying reads
              -- and writes byte by byte, after a strlen()
              min(s.cpu_ns, r.blocks * 100.0 + r.bytes * 4,
                  max(r.blocks * 20.0 + r.bytes / 10,
                      coalesce(min(s.self_cpu_ns, fr.finished * (fr.mean_ns - fr.min_ns)), 0))) AS saves_ns
       FROM replaced r JOIN function_stats s ON s.function_id = r.function_id
            LEFT JOIN frames fr ON fr.id = r.frame_id),
     -- ---- waiting: by function and thread; a thread's own outermost function waits for work ----
     active AS MATERIALIZED ( -- when a thread had work to do, on a processor or not, hooks included
       SELECT id, process_id, start_ns, end_ns, max(0, raw_self_ns - self_wait_ns) AS active_ns FROM threads),
     children AS MATERIALIZED ( -- of a thread's process, until their last image ends (exec)
       -- what a new program does before it is recorded takes time, and its parent may wait for that
       SELECT t.id AS thread_id, p.start_ns - CASE p.origin WHEN 'fork' THEN 0 ELSE 20000000 END AS start_ns,
              coalesce((SELECT max(x.end_ns) FROM processes x WHERE x.pid = p.pid AND x.id >= p.id),
                       (SELECT max(end_ns) FROM threads)) AS end_ns
       FROM threads t JOIN processes p ON p.parent_id = t.process_id AND p.origin <> 'exec'),
     gone AS (
       SELECT t.id AS thread_id, x.end_ns FROM threads t JOIN threads x ON x.process_id = t.process_id AND x.id <> t.id
       UNION ALL
       SELECT thread_id, end_ns FROM children),
     waited AS MATERIALIZED (
       SELECT g.thread_id, fr.function_id, fr.parent_id IS NULL AS outermost, sum(g.wait_ns) AS wait_ns, count(*) AS waits,
              max(g.wait_ns) AS longest_ns,
              sum(CASE WHEN g.major_faults > 0 AND 2 * g.major_faults >= coalesce(g.waits, 0) THEN g.wait_ns ELSE 0 END)
              AS page_ns,
              -- while a child of its process ran: its end, its output or its input
              sum(CASE WHEN EXISTS (SELECT 1 FROM children c
                                    WHERE c.thread_id = g.thread_id
                                      AND 2 * (min(c.end_ns, g.start_ns + g.wall_ns) - max(c.start_ns, g.start_ns)) > g.wall_ns)
                       THEN g.wait_ns ELSE 0 END) AS child_ns
       FROM gaps g CROSS JOIN whole JOIN frames fr ON fr.id = g.frame_id
       WHERE NOT g.paused AND g.wait_ns > 0
         AND (coalesce(g.preemptions, 0) = 0 OR g.preemptions < g.waits OR g.major_faults > 0) -- else put aside, perhaps
         -- joining a thread or a child that works is no fault: it ends as the wait does
         AND NOT (1000 * g.wait_ns >= whole.wall_ns
                  AND EXISTS (SELECT 1 FROM gone
                              WHERE gone.thread_id = g.thread_id
                                AND gone.end_ns BETWEEN g.start_ns + g.wall_ns - max(1000000, g.wait_ns / 20)
                                                AND g.start_ns + g.wall_ns + 100000))
       GROUP BY 1, 2, 3),
     locked AS MATERIALIZED (
       SELECT w.thread_id, fr.function_id, total(w.wait_ns) AS wait_ns
       FROM lock_waits w JOIN frames fr ON fr.id = w.frame_id GROUP BY 1, 2),
     unlocked AS (
       SELECT w.*, max(0, w.wait_ns - coalesce(l.wait_ns, 0)) AS rest_ns,
              t.process_id, t.end_ns - t.start_ns AS life_ns, t.active_ns,
              -- threads of the process without a recorded call: of a library, mostly
              (SELECT count(*) FROM threads o
               WHERE o.process_id = t.process_id AND o.calls + o.counted_calls = 0
                 AND 2 * (o.end_ns - o.start_ns) >= w.wait_ns) AS unseen
       FROM waited w JOIN active t ON t.id = w.thread_id
            LEFT JOIN locked l ON l.thread_id = w.thread_id AND l.function_id = w.function_id),
     together AS MATERIALIZED ( -- threads of one process that wait in one function
       SELECT function_id, outermost, max(threads) AS threads
       FROM (SELECT function_id, outermost, count(*) AS threads FROM unlocked WHERE rest_ns > 0 GROUP BY 1, 2, process_id)
       GROUP BY 1, 2),
     mates AS MATERIALIZED (SELECT process_id, count(*) AS threads FROM threads GROUP BY 1),
     waiting_in AS MATERIALIZED (
       SELECT u.function_id, u.outermost, total(u.rest_ns) AS wait_ns, sum(u.waits) AS waits, max(u.longest_ns) AS longest_ns,
              count(*) AS threads, total(u.life_ns) AS life_ns, total(u.page_ns) AS page_ns,
              total(u.child_ns) AS child_ns, max(u.unseen) AS unseen,
              max(m.threads) AS mates,
              (SELECT g.threads FROM together g WHERE g.function_id = u.function_id AND g.outermost = u.outermost) AS together,
              (SELECT total(active_ns) FROM active) - total(u.active_ns) AS others_ns,
              (SELECT max(t.active_ns) FROM active t
               WHERE NOT EXISTS (SELECT 1 FROM waited o
                                 WHERE o.thread_id = t.id AND o.function_id = u.function_id)) AS busiest_ns
       FROM unlocked u JOIN mates m ON m.process_id = u.process_id WHERE u.rest_ns > 0 GROUP BY u.function_id, u.outermost),
     events(pattern) AS ( -- names of what waits for others' doing
       VALUES ('*poll*'), ('*select*'), ('*accept*'), ('*recv*'), ('*receive*'), ('*read*'), ('*getline*'), ('*fgets*'),
              ('*wait*'), ('*idle*'), ('*event*'), ('*loop*'), ('*listen*'), ('*input*')),
     disk(pattern) AS ( -- names of what writes to it
       VALUES ('*sync'), ('*fsync*'), ('*datasync*'), ('*flush'), ('*unlink'), ('*renamefile*'), ('*removefile*')),
     waiting AS (
       SELECT w.*, f.name, f.location, w.waits || CASE w.waits WHEN 1 THEN ' time' ELSE ' times' END AS often,
              100 * w.wait_ns / nullif(w.life_ns, 0) AS share,
              CASE WHEN 2 * w.page_ns > w.wait_ns THEN 'pages'
                   WHEN 2 * w.child_ns > w.wait_ns THEN 'idle'
                   WHEN w.together > 1 AND 2 * w.wait_ns >= w.life_ns AND 2 * w.busiest_ns >= whole.wall_ns THEN 'starving'
                   WHEN w.outermost OR EXISTS (SELECT 1 FROM events e
                                               WHERE replace(lower(f.name), 'thread', '') GLOB e.pattern) THEN 'idle'
                   WHEN w.threads > 1 AND 10 * w.wait_ns >= 9 * w.life_ns AND 10 * whole.threads_cpu_ns < whole.wall_ns
                   THEN 'idle'
                   WHEN EXISTS (SELECT 1 FROM disk d WHERE lower(f.name) GLOB d.pattern) THEN 'disk'
                   WHEN w.together > 1 THEN 'contention'
                   WHEN w.unseen > 0 THEN 'unseen'
                   WHEN 2 * w.others_ns >= w.wait_ns THEN 'idle' -- other threads work meanwhile
                   ELSE 'blocked' END AS why
       FROM waiting_in w JOIN function_details f ON f.id = w.function_id CROSS JOIN whole),
     -- ---- waiting for recorded locks ----
     lock_threads AS (
       SELECT w.lock_id, w.thread_id, total(w.wait_ns) AS wait_ns, sum(w.wait_ns > 0) AS waits,
              max(w.start_ns + w.wait_ns) AS until_ns
       FROM lock_waits w WHERE w.deadlock IS NULL GROUP BY 1, 2), -- a deadlock is an incident
     lock_sums AS MATERIALIZED (
       SELECT l.lock_id, total(l.wait_ns) AS wait_ns, sum(l.waits) AS waits, count(*) AS threads,
              total(max(t.end_ns, l.until_ns) - t.start_ns) AS life_ns, -- a wait may last beyond the last event
              (SELECT max(o.active_ns) FROM active o
               WHERE o.id NOT IN (SELECT x.thread_id FROM lock_threads x WHERE x.lock_id = l.lock_id)) AS busiest_ns,
              (SELECT CAST(total(h.hold_ns) / max(sum(h.times), 1) AS INTEGER) FROM lock_holds h WHERE h.lock_id = l.lock_id)
              AS held_ns
       FROM lock_threads l JOIN threads t ON t.id = l.thread_id WHERE l.wait_ns > 0 GROUP BY l.lock_id),
     lock_places AS MATERIALIZED ( -- who held it, and where, for most of the waits
       SELECT lock_id, frame_id, site_id, held_frame_id, held_site_id
       FROM (SELECT w.lock_id, w.frame_id, w.site_id, w.held_by_frame_id AS held_frame_id, w.held_by_site_id AS held_site_id,
                    row_number() OVER (PARTITION BY w.lock_id ORDER BY total(w.wait_ns) DESC, w.site_id, w.held_by_site_id)
                    AS place
             FROM lock_waits w GROUP BY w.lock_id, w.frame_id, w.site_id, w.held_by_frame_id, w.held_by_site_id)
       WHERE place = 1),
     lock_findings AS (
       SELECT s.*, s.threads || CASE s.threads WHEN 1 THEN ' thread waits' ELSE ' threads wait' END AS who,
              l.kind IN ('condition', 'semaphore') AND s.threads > 1 AND 2 * s.wait_ns >= s.life_ns
              AND 2 * s.busiest_ns >= whole.wall_ns AS starving,
              l.name AS lock, l.kind, f.name AS function, at.location, coalesce(h.name, '?') AS holder,
              hs.location AS held_at, 100 * s.wait_ns / nullif(s.life_ns, 0) AS share,
              l.kind IN ('condition', 'semaphore') AS signalled
       FROM lock_sums s JOIN lock_details l ON l.id = s.lock_id JOIN lock_places p ON p.lock_id = s.lock_id
            LEFT JOIN frames fr ON fr.id = p.frame_id LEFT JOIN functions f ON f.id = fr.function_id
            LEFT JOIN site_details at ON at.id = p.site_id
            LEFT JOIN frames hf ON hf.id = p.held_frame_id LEFT JOIN functions h ON h.id = hf.function_id
            LEFT JOIN site_details hs ON hs.id = p.held_site_id CROSS JOIN whole
       WHERE l.kind NOT IN ('thread', 'once')),
     -- ---- memory ----
     places AS MATERIALIZED (
       SELECT p.function_id, p.site_id, sum(a.blocks - a.freed_blocks) AS blocks, total(a.bytes - a.freed_bytes) AS bytes,
              sum(a.blocks) AS all_blocks,
              min(CASE WHEN a.blocks > a.freed_blocks
                       THEN coalesce((SELECT alloc_ns FROM allocs WHERE id = a.first_live_id), a.first_ns) END) AS first_ns,
              max(CASE WHEN a.blocks > a.freed_blocks
                       THEN coalesce((SELECT alloc_ns FROM allocs WHERE id = a.last_live_id), a.last_ns) END) AS last_ns
       FROM alloc_stacks a JOIN alloc_places p ON p.stack_id = a.id AND p.wrappers = 0
       WHERE a.id NOT IN (SELECT stack_id FROM kept_stacks) AND p.function_id IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM recording_limits WHERE what = 'threads') -- others may have freed them
       GROUP BY 1, 2),
     lost AS (SELECT * FROM places WHERE blocks > 0),
     -- of processes that run one after another, each ends with some: as many as one has at a time
     images AS MATERIALIZED (
       SELECT executable, sum(processes) AS processes,
              max(1.0, sum(processes) / max(1, sum(life_ns) / max(1, whole.wall_ns))) AS turns
       FROM (SELECT executable, 1 AS processes, coalesce(end_ns, start_ns) - start_ns AS life_ns FROM processes
             UNION ALL
             SELECT NULL, 1, coalesce(end_ns, start_ns) - start_ns FROM processes) CROSS JOIN whole
       GROUP BY executable),
     lost_in AS (
       SELECT l.*, i.processes, coalesce(i.turns, 1.0) AS turns, l.bytes / coalesce(i.turns, 1.0) AS one_bytes
       FROM lost l JOIN functions f ON f.id = l.function_id LEFT JOIN modules m ON m.id = f.module_id
            LEFT JOIN images i ON i.executable IS (SELECT x.executable FROM images x WHERE x.executable = m.path)),
     -- did a process call exit() in main? Then what it kept was never meant to be freed
     last_calls(id, parent_id, ended) AS (
       SELECT c.id, c.parent_id, c.ended
       FROM threads t JOIN processes p ON p.id = t.process_id AND p.how_ended = 'exit' CROSS JOIN calls c ON c.id = t.last_call_id
       WHERE t.id IN (SELECT min(id) FROM threads GROUP BY process_id)
       UNION ALL
       SELECT c.id, c.parent_id, c.ended FROM last_calls l CROSS JOIN calls c ON c.id = l.parent_id),
     exits AS MATERIALIZED (
       SELECT EXISTS (SELECT 1 FROM last_calls WHERE parent_id IS NULL AND ended = 2) AS within_main),
     -- does it free almost everywhere what it allocates? Else a cache's blocks look like lost ones
     tidy AS MATERIALIZED (
       SELECT 4 * max(0, total(blocks > 0) - 3) <= count(*) AS tidy FROM places),
     -- live memory at a quarter, half and three quarters of the run
     quarters AS MATERIALIZED (
       SELECT (SELECT coalesce(max(step), 0) + 1 FROM memory_steps) AS steps,
              (SELECT live_bytes FROM memory_steps WHERE thread_id = 0
                 AND step <= (SELECT max(step) / 4 FROM memory_steps) ORDER BY step DESC LIMIT 1) AS quarter,
              (SELECT live_bytes FROM memory_steps WHERE thread_id = 0
                 AND step <= (SELECT max(step) / 2 FROM memory_steps) ORDER BY step DESC LIMIT 1) AS half,
              (SELECT live_bytes FROM memory_steps WHERE thread_id = 0
                 AND step <= (SELECT max(step) * 3 / 4 FROM memory_steps) ORDER BY step DESC LIMIT 1) AS late),
     gathered AS MATERIALIZED (
       SELECT p.function_id, p.site_id, total(a.peak_bytes) AS bytes, sum(a.peak_blocks) AS blocks,
              sum(a.blocks) AS all_blocks, max(a.last_ns) AS last_ns, min(a.first_ns) AS first_ns
       FROM alloc_stacks a JOIN alloc_places p ON p.stack_id = a.id AND p.wrappers = 0
       WHERE a.peak_blocks > 0 AND p.function_id IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM recording_limits WHERE what = 'threads')
         AND (a.site_id IS NULL OR a.site_id NOT IN (SELECT id FROM kept_sites)) GROUP BY 1, 2),
     -- ---- where time goes: what counts as the longest functions' own, by what they call ----
     hot AS MATERIALIZED (SELECT * FROM function_stats ORDER BY self_cpu_ns DESC, function_id LIMIT 3),
     hot_inside(frame_id, caller_id, called_id) AS (
       SELECT fr.id, h.function_id, fr.function_id
       FROM hot h CROSS JOIN recorded_frames up ON up.function_id = h.function_id
            CROSS JOIN recorded_frames fr ON fr.parent_id = up.id
            JOIN functions f ON f.id = fr.function_id AND f.own = 0
       UNION ALL
       SELECT fr.id, i.caller_id, i.called_id
       FROM hot_inside i CROSS JOIN recorded_frames fr ON fr.parent_id = i.frame_id AND fr.id > i.frame_id
            JOIN functions f ON f.id = fr.function_id AND f.own = 0
       LIMIT 200000),
     hot_most AS (
       SELECT caller_id, name, external, max(cpu_ns) AS cpu_ns
       FROM (SELECT i.caller_id, f.name, f.external, total(fr.self_cpu_ns) AS cpu_ns
             FROM hot_inside i JOIN recorded_frames fr ON fr.id = i.frame_id JOIN functions f ON f.id = i.called_id
             GROUP BY i.caller_id, i.called_id)
       GROUP BY caller_id),
     hottest AS (
       SELECT h.*, l.external AS inside_library,
              CASE WHEN instr(l.name, '<') > 1 THEN substr(l.name, 1, instr(l.name, '<') - 1) || '<...>'
              ELSE substr(l.name, 1, 80) END AS inside
       FROM hot h LEFT JOIN hot_most l ON l.caller_id = h.function_id AND 2 * l.cpu_ns >= h.self_cpu_ns
                                          AND h.self_cpu_ns - (SELECT total(fr.self_cpu_ns) FROM recorded_frames fr
                                                               WHERE fr.function_id = h.function_id)
                                              >= 0.9 * l.cpu_ns -- with --all-code it is not its own
       WHERE h.self_cpu_ns > 0),
     -- ---- all of them: worth is what orders them, in hundredths ----
     found(kind, proof, next, words, function, location, sure, share, share_of, saves_cpu_ns, saves_wait_ns, saves_bytes,
           ns, bytes, rows, is_finding, worth) AS MATERIALIZED ( -- fences: SQLite's flattening copies all below
       SELECT 'error', e.proof, NULL, e.words, e.function, e.location, e.sure, NULL, NULL, NULL, NULL, NULL,
              NULL, NULL, e.rows, 1, 1000
       FROM errors e
       UNION ALL
       SELECT 'ignored error', 'failing-calls', 'fisql faults ' || whole.command,
              '{f} failed ' || i.dropped || ' times and ' || coalesce(i.dropped_by, 'its caller') || ' went on', i.function,
              i.location, 'perhaps', NULL, NULL, NULL, NULL, NULL, NULL, NULL, i.rows, 1, 4
       FROM ignored i CROSS JOIN whole WHERE i.place = 1
       UNION ALL
       SELECT p.kind, p.proof, NULL, p.words, p.function, p.location, p.sure, 100 * p.saves_ns / max(whole.cpu_ns, 1), whole.cpu,
              CAST(p.saves_ns AS INTEGER), NULL, CASE p.kind WHEN 'copying' THEN p.bytes END, p.saves_ns, p.bytes, 1,
              p.saves_ns >= 1 AND 100 * p.saves_ns >= params.min_cpu * whole.cpu_ns,
              100 * p.saves_ns / max(whole.cpu_ns, 1)
       FROM patterns p CROSS JOIN whole CROSS JOIN params WHERE p.saves_ns > 0
       UNION ALL
       SELECT 'copying', 'temporary-allocations', NULL,
              '{f} ({at}) grows a block by a new one ' || c.blocks || ' times, {bytes} allocated for '
              || CASE WHEN c.max_size >= 1048576 THEN printf('%.1f MiB', c.max_size / 1048576.0)
                      WHEN c.max_size >= 1024 THEN printf('%.1f KiB', c.max_size / 1024.0)
                      ELSE c.max_size || ' B' END || ' at most: double its size',
              f.name, coalesce(s.location, f.location), 'likely',
              CASE WHEN c.by_time THEN 100 * c.saves_ns / max(whole.cpu_ns, 1) ELSE 100 * c.bytes / max(whole.alloc_bytes, 1) END,
              CASE WHEN c.by_time THEN whole.cpu ELSE 'allocated bytes' END,
              CAST(c.saves_ns AS INTEGER), NULL, c.bytes - 2 * c.max_size, NULL, c.bytes, 1,
              c.by_time OR 100 * c.bytes >= params.min_copied * whole.alloc_bytes AND c.bytes >= 1048576,
              max(100 * c.saves_ns / max(whole.cpu_ns, 1), 10.0 * c.bytes / max(whole.alloc_bytes, 1))
       FROM (SELECT copied.*, 100 * copied.saves_ns >= params.min_cpu * whole.cpu_ns AS by_time
             FROM copied CROSS JOIN whole CROSS JOIN params) c
            CROSS JOIN whole CROSS JOIN params JOIN function_details f ON f.id = c.function_id
            LEFT JOIN site_details s ON s.id = c.site_id
       UNION ALL
       SELECT 'waiting', CASE WHEN w.why = 'contention' THEN 'lock-waits' ELSE 'waiting' END,
              CASE WHEN NOT whole.locks AND (w.why IN ('contention', 'starving') OR w.why = 'blocked' AND w.mates > 1)
                   THEN 'fisql run --locks ' || whole.command
                   WHEN w.why = 'unseen' THEN 'fisql run --libs ''*'' ' || whole.command END,
              CASE w.why
                WHEN 'contention' THEN w.threads || ' threads wait {ns} in {f} ({at}), ' || w.often || ': '
                     || CASE WHEN whole.locks THEN 'for no lock; for input, output or a sleep'
                             ELSE 'for a lock that one holds too long, or for input and output' END
                WHEN 'starving' THEN w.threads || ' threads wait {ns} in {f} ({at}) while one other thread works: '
                     || 'they starve for work'
                WHEN 'unseen' THEN '{f} ({at}) waits {ns}, ' || w.often || ', while ' || w.unseen
                     || CASE w.unseen WHEN 1 THEN ' thread runs' ELSE ' threads run' END || ' what was not recorded'
                WHEN 'disk' THEN '{f} ({at}) waits {ns}, ' || w.often || ': for the disk, by its name'
                WHEN 'pages' THEN '{f} ({at}) waits {ns} for pages to be read from files, ' || w.often
                WHEN 'blocked' THEN '{f} ({at}) waits {ns}, ' || w.often || ': for '
                     || CASE WHEN w.mates > 1 AND NOT whole.locks THEN 'a lock, '
                             WHEN w.threads > 1 THEN 'a lock that processes share, ' ELSE '' END
                     || 'files, a sleep or another program'
                ELSE '{f} ({at}) waits {ns}, ' || w.often
                     || CASE WHEN NOT w.outermost AND w.threads = 1 AND 2 * w.others_ns >= w.wait_ns
                             THEN ': for what other threads do, it seems' ELSE ': for work or input, it seems' END END,
              w.name, w.location,
              CASE WHEN w.why IN ('contention', 'starving', 'disk', 'unseen') THEN 'likely' ELSE 'certain' END,
              w.share, 'the waiting threads'' time', NULL, CAST(w.wait_ns AS INTEGER), NULL, w.wait_ns, NULL, 1,
              w.why <> 'idle' AND w.share >= params.min_wait
              AND w.wait_ns >= CASE WHEN w.why IN ('contention', 'starving') THEN 1 ELSE params.min_wait_ms END * 1000000
              AND 100 * w.wait_ns >= params.min_wait * whole.wall_ns, -- of many short processes, say
              w.share
       FROM waiting w CROSS JOIN whole CROSS JOIN params
       UNION ALL
       SELECT 'waiting', CASE WHEN l.signalled THEN 'lock-waits' ELSE 'lock-contention' END, NULL,
              l.who || ' {ns} '
              || CASE WHEN l.signalled THEN 'for ' || l.lock || ' in {f}'
                      || CASE WHEN l.starving THEN ' while one other thread works: they starve for work' ELSE '' END
                 WHEN l.kind = 'barrier' THEN 'at ' || l.lock || ' in {f} for the slowest of them'
                 ELSE 'in {f} for ' || l.lock || ', ' || l.waits || CASE l.waits WHEN 1 THEN ' time' ELSE ' times' END
                      || ', while ' || l.holder || ' (' || coalesce(l.held_at, '?') || ') holds it'
                      || CASE WHEN l.held_ns >= 100000 THEN ' for long: do the work before or after'
                         ELSE ' for moments: divide it, or let each thread have its own' END END,
              l.function, l.location, 'certain', l.share, 'the waiting threads'' time', NULL,
              CAST(l.wait_ns AS INTEGER), NULL, l.wait_ns, NULL, 1,
              l.share >= params.min_wait AND l.wait_ns >= 1000000
              AND (NOT l.signalled OR l.starving),
              l.share
       FROM lock_findings l CROSS JOIN whole CROSS JOIN params
       UNION ALL
       SELECT 'memory', 'not-freed', 'fisql query leaking-calls',
              '{f} ({at}) ' || CASE WHEN tidy THEN 'loses ' ELSE 'still holds ' END
              || CASE WHEN m.all_blocks = 1 THEN 'its one block'
                      WHEN m.blocks = m.all_blocks THEN 'all its ' || m.blocks || ' blocks'
                      ELSE m.blocks || ' of its ' || m.all_blocks || ' blocks' END
              || ', {bytes}, ' || CASE WHEN tidy THEN 'to' ELSE 'at' END || ' the end of '
              || CASE WHEN m.turns >= 2 THEN m.processes || ' processes' ELSE 'the run' END
              || CASE WHEN tidy THEN '' ELSE ', as much else: a cache, or they are lost' END,
              f.name, coalesce(s.location, f.location),
              CASE WHEN tidy AND m.blocks < m.all_blocks THEN 'likely' ELSE 'perhaps' END,
              100 * m.one_bytes / nullif(whole.peak_bytes, 0), 'peak memory', NULL, NULL, CAST(m.one_bytes AS INTEGER), NULL,
              m.bytes, 1,
              m.blocks >= 100 * m.turns AND (10 * m.blocks <= 9 * m.all_blocks OR NOT exits.within_main)
              AND 4 * (m.last_ns - m.first_ns) >= whole.main_ns
              AND (tidy AND m.blocks >= params.min_lost * m.turns
                   OR 100 * m.one_bytes >= params.min_memory * whole.peak_bytes),
              coalesce(25 * m.one_bytes / nullif(whole.peak_bytes, 0), 0)
       FROM lost_in m CROSS JOIN whole CROSS JOIN params CROSS JOIN exits CROSS JOIN tidy
            JOIN function_details f ON f.id = m.function_id
            LEFT JOIN site_details s ON s.id = m.site_id
       UNION ALL
       SELECT 'memory', 'peak-memory', 'fisql query memory-timeline',
              '{f} ({at}) holds {bytes} in ' || m.blocks || CASE m.blocks WHEN 1 THEN ' block' ELSE ' blocks' END
              || ' at the peak' || CASE WHEN m.grows THEN ', more all the time: none is freed before the end' ELSE '' END,
              f.name, coalesce(s.location, f.location), CASE WHEN m.grows THEN 'perhaps' ELSE 'certain' END,
              100 * m.bytes / nullif(whole.peak_bytes, 0), 'peak memory', NULL, NULL, m.bytes, NULL, m.bytes, 1, m.grows,
              coalesce(20 * m.bytes / nullif(whole.peak_bytes, 0), 0)
       FROM (SELECT gathered.*,
                    bytes >= 1048576 AND blocks >= 1000 AND 10 * blocks >= 9 * all_blocks AND 2 * bytes >= whole.peak_bytes
                    AND 2 * (last_ns - first_ns) >= whole.main_ns AND 10 * q.half >= 12 * q.quarter
                    AND 10 * q.late >= 11 * q.half AND 20 * whole.peak_bytes >= 21 * q.late AS grows
             FROM gathered CROSS JOIN quarters q CROSS JOIN whole) m
            CROSS JOIN whole JOIN function_details f ON f.id = m.function_id
            LEFT JOIN site_details s ON s.id = m.site_id
       UNION ALL -- no finding in itself, but where time goes
       SELECT 'cpu', 'hot-functions',
              CASE WHEN h.inside_library THEN 'fisql query library-time'
                   -- of few calls, what the libraries do in them says more than arguments
                   WHEN whole.libraries_unseen AND h.calls < 64 THEN 'fisql run --library-calls ' || whole.command
                   WHEN whole.described AND NOT whole.arguments AND h.calls >= 64 THEN 'fisql run --values ' || whole.command END,
              '{f} ({at}) takes {ns} ' || coalesce('itself, most of it in ' || h.inside, 'in its own code')
              || ', in ' || h.calls || CASE h.calls WHEN 1 THEN ' call' ELSE ' calls' END,
              f.name, f.location, 'certain',
              100.0 * h.self_cpu_ns / max(whole.cpu_ns, 1), whole.cpu, NULL, NULL, NULL, h.self_cpu_ns, NULL, 1, 0,
              100.0 * h.self_cpu_ns / max(whole.cpu_ns, 1)
       FROM hottest h CROSS JOIN whole JOIN function_details f ON f.id = h.function_id),
     -- of one function, the worst of each resource
     single AS MATERIALIZED (
       SELECT *, row_number() OVER (PARTITION BY CASE WHEN kind = 'error' OR function IS NULL THEN words ELSE function END,
                                    CASE kind WHEN 'copying' THEN 'cpu' ELSE kind END
                                    ORDER BY is_finding DESC, worth DESC, proof, words) AS choice
       FROM found),
     placed AS MATERIALIZED ( -- of what is no finding, the largest of each kind comes first, and less than a hundredth last
       SELECT *, CASE WHEN is_finding THEN 0
                 ELSE row_number() OVER (PARTITION BY is_finding, kind, worth >= 1 ORDER BY worth DESC, proof, words)
                      + 1000000 * (worth < 1) END AS place
       FROM single WHERE choice = 1),
     ranked AS MATERIALIZED (
       SELECT *, row_number() OVER (ORDER BY is_finding DESC, place, worth DESC, proof, words) AS rank
       FROM placed CROSS JOIN params WHERE is_finding OR every),
     left_live AS MATERIALIZED ( -- the memory that was not freed, by who called the function that wanted it
       SELECT p.function_id, up.function_id AS caller_id, fr.site_id, total(a.bytes - a.freed_bytes) AS bytes
       FROM alloc_stacks a JOIN alloc_places p ON p.stack_id = a.id AND p.wrappers = 0
            JOIN frames fr ON fr.id = p.frame_id JOIN frames up ON up.id = fr.parent_id
       WHERE a.blocks > a.freed_blocks GROUP BY 1, 2, 3),
     called AS ( -- by the edge that most of it came through
       SELECT r.*, e.caller_id, e.site_id,
              row_number() OVER (PARTITION BY r.rank ORDER BY CASE r.kind WHEN 'waiting' THEN e.self_wait_ns
                                                                          WHEN 'memory' THEN kept.bytes END DESC,
                                                              e.calls DESC, e.id) AS nth
       FROM ranked r LEFT JOIN functions f ON f.name = r.function AND r.rank <= 100
            LEFT JOIN edges e ON e.callee_id = f.id AND e.caller_id IS NOT NULL
            LEFT JOIN left_live kept ON kept.function_id = f.id AND kept.caller_id = e.caller_id AND kept.site_id IS e.site_id),
     shown AS MATERIALIZED (
       SELECT *, substr(coalesce(function, '?'), 1, 200) AS f, substr(coalesce(location, '?'), 1, 200) AS at,
              CASE WHEN ns >= 1e9 THEN printf('%.2f s', ns / 1e9) WHEN ns >= 1e6 THEN printf('%.2f ms', ns / 1e6)
                   WHEN ns >= 1e3 THEN printf('%.2f us', ns / 1e3) ELSE printf('%d ns', ns) END AS time,
              CASE WHEN bytes >= 1073741824 THEN printf('%.1f GiB', bytes / 1073741824.0)
                   WHEN bytes >= 1048576 THEN printf('%.1f MiB', bytes / 1048576.0)
                   WHEN bytes >= 1024 THEN printf('%.1f KiB', bytes / 1024.0) ELSE printf('%d B', bytes) END AS amount
       FROM called WHERE nth = 1)
SELECT r.rank,
       replace(replace(replace(replace(r.words, '{ns}', r.time), '{bytes}', r.amount), '{at}', r.at), '{f}', r.f) AS finding,
       r.kind,
       round(r.share, 1) AS share,
       r.share_of,
       r.saves_cpu_ns,
       r.saves_wait_ns,
       CAST(r.saves_bytes AS INTEGER) AS saves_bytes,
       r.sure,
       r.function,
       r.location,
       c.name AS caller,
       s.location AS called_from,
       r.rows,
       r.proof,
       r.next,
       r.is_finding
FROM shown r
     LEFT JOIN functions c ON c.id = r.caller_id
     LEFT JOIN site_details s ON s.id = r.site_id
ORDER BY r.rank
