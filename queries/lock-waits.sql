-- title:       Lock waits
-- question:    Where did threads wait for locks, or for each other?
-- group:       Time
-- description: Functions in whose own code threads waited, for a lock, a condition, another thread.
--              If locks were recorded (fisql record --locks), each such wait is known. Else it is a
--              guess: all functions that waited, except those whose name says that they sleep or
--              wait for input, output or files, those that waited for pages to be read, and those
--              that call nothing, because waiting is a call.
-- advice:      Many waits of several threads are contention: hold the lock for less, or give each
--              thread its own. A long longest_ns with a small mean_ns is contention at that
--              instant: look at what the other threads did then (fisql trace --since). Waiting for
--              work in an idle pool is no problem: outermost functions of threads, where event
--              loops wait, come last. Locks taken by code without hooks (pthread_mutex_lock) count
--              for the code that called it; `fisql query waiting` has all waits. `fisql query
--              lock-contention` shows which thread held what.
-- source:      each wait where it was recorded; else the table gaps: what a thread's processor clock says of each
--              long gap between two events
-- report:      findings
-- hides:       min_guessed_ns=0: a guess, and they waited for less in all than the machine may make a call wait
-- param:       pattern = NULL | - | names to take (all but those of sleep, input and output)
-- param:       min_total_ns = 1000 | ns | leave out functions that waited less
-- param:       min_guessed_ns = 100000 | ns | the same, where it is a guess
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      calls | calls | calls
-- column:      wait_ns | ns | time waited in its own code
-- column:      waits | waits | how often
-- column:      threads | threads | that waited there
-- column:      mean_ns | ns | a wait, on average
-- column:      longest_ns | ns | the longest wait
-- column:      longest_at_ns | ns | when that began, since the run's start
-- column:      thread | - | in which thread
-- column:      longest_call | id | calls.id of the call with the longest wait
-- column:      stack | stack | its stack, outermost first
-- column:      told_by | - | recorded: each wait was; guessed: by the functions' names
WITH RECURSIVE
     params AS (SELECT :pattern AS pattern, coalesce(:min_total_ns, 1000) AS min_total_ns,
                       coalesce(:min_guessed_ns, 100000) AS min_guessed_ns),
     known AS MATERIALIZED (SELECT EXISTS (SELECT 1 FROM locks) AS recorded),
     named AS MATERIALIZED (
       SELECT f.id, f.name AS exact, f.call_targets, s.callees FROM functions f
            JOIN function_stats s ON s.function_id = f.id AND s.self_wait_ns > 0
       WHERE (SELECT NOT recorded FROM known)),
     -- the last part of the name, without what stands in <> and (), as words: _read_file_ of
     -- disk::ReadFile(char*), _assoc_maintenance_thread_
     spelled(id, rest, last, words) AS (
       SELECT id, replace(replace(exact, '(anonymous namespace)', ''), '(anon)', '') || ' ', '', '_' FROM named
       UNION ALL
       SELECT id, CASE WHEN substr(rest, 1, 1) IN ('<', '(') AND words <> '_' THEN '' ELSE substr(rest, 2) END,
              substr(rest, 1, 1),
              CASE WHEN substr(rest, 1, 2) = '::' THEN '_'
                   WHEN substr(rest, 1, 1) GLOB '[^A-Za-z0-9]' THEN rtrim(words, '_') || '_'
                   -- readFile, IOPool: a word begins
                   WHEN substr(rest, 1, 1) GLOB '[A-Z]' AND (last GLOB '[a-z0-9]' OR substr(rest, 1, 2) GLOB '[A-Z][a-z]')
                   THEN rtrim(words, '_') || '_' || lower(substr(rest, 1, 1))
                   ELSE words || lower(substr(rest, 1, 1)) END
       FROM spelled WHERE rest <> '' AND length(words) < 300),
     -- an end (1) says it where it begins or ends the name (flush_all, log_flush), but is also said
     -- of lists, and of what does more: DBImpl::Write waits for its turn; the whole name (2): item_unlink is no file's
     input_words(word, place) AS (
       VALUES ('sleep', 0), ('usleep', 0), ('nanosleep', 0), ('nap', 0), ('poll', 0), ('ppoll', 0), ('epoll', 0),
              ('pselect', 0), ('recv', 0), ('recvfrom', 0), ('recvmsg', 0), ('sendto', 0), ('sendmsg', 0), ('sendfile', 0),
              ('fsync', 0), ('fdatasync', 0), ('fread', 0), ('fwrite', 0), ('pread', 0), ('pwrite', 0), ('readv', 0),
              ('writev', 0), ('readline', 0), ('getline', 0), ('fgets', 0), ('fputs', 0), ('fopen', 0), ('fclose', 0),
              ('opendir', 0), ('readdir', 0), ('closedir', 0), ('mkdir', 0), ('rmdir', 0), ('print', 0), ('printf', 0),
              ('fprintf', 0), ('println', 0), ('puts', 0), ('read', 1), ('write', 1), ('open', 1), ('close', 1),
              ('select', 1), ('socket', 1), ('listen', 1), ('accept', 1), ('connect', 1), ('receive', 1), ('send', 1),
              ('flush', 1), ('dir', 1),
              ('sync', 1), ('file', 1), ('stat', 1), ('unlink', 2), ('rename', 2), ('link', 2), ('unlinkat', 2), ('renameat', 2)),
     lock_words(word) AS (
       VALUES ('lock'), ('locked'), ('locks'), ('unlock'), ('rwlock'), ('spinlock'), ('mutex'), ('cond'), ('condition'), ('sem'),
              ('semaphore'), ('futex'), ('barrier'), ('latch'), ('join'), ('acquire')),
     said AS MATERIALIZED (
       SELECT n.id, n.exact, n.call_targets, n.callees, rtrim(s.words, '_') || '_' AS words
       FROM named n JOIN spelled s ON s.id = n.id AND (s.rest = '' OR length(s.words) >= 300)),
     chosen AS MATERIALIZED (
       SELECT n.id FROM said n CROSS JOIN params
       WHERE CASE WHEN params.pattern IS NOT NULL THEN n.exact GLOB params.pattern
                  ELSE n.call_targets IS NOT 0
                       -- one thread alone has nobody to wait for
                       AND (SELECT count(*) FROM (SELECT 1 FROM threads UNION ALL SELECT 1 FROM processes WHERE id > 1)) > 1
                       AND (EXISTS (SELECT 1 FROM lock_words l WHERE instr(n.words, '_' || l.word || '_') > 0)
                            OR NOT EXISTS (
                              SELECT 1 FROM input_words i
                              WHERE CASE i.place WHEN 0 THEN instr(n.words, '_' || i.word || '_') > 0
                                                 WHEN 1 THEN n.callees < 5 AND (n.words GLOB '_' || i.word || '_*'
                                                 OR n.words GLOB '*_' || i.word || '_')
                                                 ELSE n.words = '_' || i.word || '_' END)) END),
     waited AS MATERIALIZED (
       SELECT fr.function_id, sum(g.wait_ns) AS wait_ns, count(*) AS waits, max(g.wait_ns) AS longest_ns,
              count(DISTINCT g.thread_id) AS threads, g.start_ns, g.thread_id, g.call_id, g.frame_id
       FROM gaps g JOIN frames fr ON fr.id = g.frame_id JOIN chosen ON chosen.id = fr.function_id CROSS JOIN params
       -- a page that is read from a file is one wait
       WHERE g.wait_ns > 0 AND (coalesce(g.major_faults, 0) = 0 OR g.major_faults < g.waits)
       GROUP BY fr.function_id HAVING sum(g.wait_ns) >= max(params.min_total_ns, params.min_guessed_ns)
       UNION ALL
       SELECT fr.function_id, sum(w.wait_ns), count(*), max(w.wait_ns), count(DISTINCT w.thread_id), w.start_ns, w.thread_id,
              w.call_id, w.frame_id
       FROM lock_waits w JOIN frames fr ON fr.id = w.frame_id JOIN functions f ON f.id = fr.function_id CROSS JOIN params
       WHERE w.wait_ns > 0 AND (params.pattern IS NULL OR f.name GLOB params.pattern)
       GROUP BY fr.function_id HAVING sum(w.wait_ns) >= params.min_total_ns),
     walk(function_id, frame_id, text) AS (
       SELECT w.function_id, fr.parent_id, f.name
       FROM waited w JOIN frames fr ON fr.id = w.frame_id JOIN functions f ON f.id = fr.function_id
       UNION ALL
       SELECT w.function_id, fr.parent_id, f.name || ' => ' || w.text
       FROM walk w JOIN frames fr ON fr.id = w.frame_id JOIN functions f ON f.id = fr.function_id
       WHERE coalesce(fr.parent_id, 0) < fr.id)
SELECT f.name AS function,
       f.location,
       s.calls,
       w.wait_ns,
       w.waits,
       w.threads,
       w.wait_ns / w.waits AS mean_ns,
       w.longest_ns,
       w.start_ns AS longest_at_ns,
       t.name AS thread,
       w.call_id AS longest_call,
       (SELECT text FROM walk WHERE walk.function_id = w.function_id AND frame_id IS NULL) AS stack,
       (SELECT CASE recorded WHEN 1 THEN 'recorded' ELSE 'guessed' END FROM known) AS told_by
FROM waited w
     JOIN function_details f ON f.id = w.function_id
     JOIN function_stats s ON s.function_id = w.function_id
     LEFT JOIN threads t ON t.id = w.thread_id
     JOIN frames fr ON fr.id = w.frame_id
ORDER BY fr.parent_id IS NULL, w.wait_ns DESC, w.function_id
