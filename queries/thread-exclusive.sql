-- title:       Thread-exclusive functions
-- question:    Which functions does just one thread call?
-- group:       Coverage and threads
-- description: Functions that only one thread called, or only threads of one name, in runs with
--              several threads; without those that threads begin with. Those of the first thread
--              come later, because most programs run there; for each thread, functions of files
--              that no other thread entered come first. Functions that code of other threads calls
--              come last.
-- advice:      A file that one thread has to itself is that thread's module; a function can move
--              there. This is about functions, not data: other threads may touch the same data
--              through other functions, so keep its locks. The advice is wrong if the run was too
--              short for other threads to come there, or if it is chance which thread takes the
--              work.
-- source:      thread confinement: Goetz et al., Java Concurrency in Practice, 3.3
-- needs:       calls
-- report:      overview
-- param:       by_name = 0 | 0 or 1 | 1 = count threads of the same name as one
-- param:       min_calls = 1 | calls | leave out functions with fewer calls
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      thread | - | name of the thread
-- column:      tid | - | its id in the system, NULL where by_name took several together
-- column:      calls | calls | calls
-- column:      self_cpu_ns | ns | processor time in its own code
-- column:      file_threads | threads | that called functions of its file
-- column:      other_callers | functions | that call it, too: other threads ran them, or their call was not reached, or they have such callers
-- column:      first_call | id | calls.id of its first call
WITH RECURSIVE
     params AS (SELECT coalesce(:by_name, 0) AS by_name, coalesce(:min_calls, 1) AS min_calls),
     several AS (SELECT count(*) > 1 AS yes FROM threads WHERE calls + counted_calls > 0),
     called AS MATERIALIZED (
       SELECT tf.function_id, tf.thread_id, tf.calls, tf.self_cpu_ns, tf.first_call_id, t.name, t.tid, f.file_id,
              t.tid = p.pid AS is_first,
              CASE params.by_name WHEN 0 THEN '#' || t.id ELSE coalesce(t.name, '#' || t.id) END AS who
       FROM thread_functions tf CROSS JOIN params JOIN threads t ON t.id = tf.thread_id
            LEFT JOIN processes p ON p.id = t.process_id JOIN functions f ON f.id = tf.function_id),
     of_functions AS MATERIALIZED (
       SELECT function_id, sum(calls) AS calls, sum(self_cpu_ns) AS self_cpu_ns,
              count(DISTINCT thread_id) AS threads, count(DISTINCT who) AS whos,
              coalesce(max(is_first), 0) AS is_first, min(name) AS name, min(tid) AS tid, min(first_call_id) AS first_call
       FROM called GROUP BY function_id),
     of_files AS MATERIALIZED (
       SELECT file_id, count(DISTINCT who) AS whos FROM called WHERE file_id IS NOT NULL GROUP BY file_id),
     callers AS MATERIALIZED (
       SELECT e.callee_id,
              -- of the callers in the code those that were seen: by name, with what was inlined into them
              count(DISTINCT CASE WHEN s.indirect = 0 AND s.module_id = f.module_id THEN s.function_id END) AS seen,
              count(DISTINCT CASE WHEN by.whos > 1 THEN e.caller_id END) AS shared,
              count(DISTINCT CASE WHEN by.whos > 1 AND coalesce(s.indirect, 0) = 0 THEN e.caller_id END) AS shared_by_name
       FROM edges e JOIN functions f ON f.id = e.callee_id LEFT JOIN sites s ON s.id = e.site_id
            JOIN of_functions by ON by.function_id = e.caller_id
       GROUP BY e.callee_id),
     twins AS MATERIALIZED ( -- threads that begin as others do: which of them did something once is chance
       SELECT id FROM (
         SELECT t.id, count(*) OVER (PARTITION BY t.process_id, fr.function_id) AS alike
         FROM threads t CROSS JOIN calls c ON c.id = t.first_call_id JOIN frames fr ON fr.id = c.frame_id)
       WHERE alike > 1),
     alone AS MATERIALIZED (
       SELECT o.*, coalesce(of_files.whos, o.whos) AS file_threads,
              o.calls = 1 AND EXISTS (SELECT 1 FROM called k JOIN twins w ON w.id = k.thread_id
                                      WHERE k.function_id = o.function_id) AS chance,
              coalesce(callers.shared, 0) AS shared, coalesce(callers.shared_by_name, 0) AS shared_by_name,
              max(0, f.call_sources - coalesce(callers.seen, 0)) AS not_seen
       FROM of_functions o JOIN functions f ON f.id = o.function_id
            JOIN function_stats s ON s.function_id = o.function_id
            LEFT JOIN of_files ON of_files.file_id = f.file_id LEFT JOIN callers ON callers.callee_id = o.function_id
       WHERE o.whos = 1 AND s.root_calls < s.calls),
     -- from other threads' code, at any distance: not by pointers that a pool's threads were given, and code that
     -- was not reached would mostly run in the first thread
     reached(function_id) AS (
       SELECT function_id FROM alone WHERE shared_by_name + not_seen > 0 AND NOT is_first
       UNION
       SELECT a.function_id FROM reached r JOIN edges e ON e.caller_id = r.function_id
              JOIN alone a ON a.function_id = e.callee_id),
     further AS MATERIALIZED (
       SELECT e.callee_id, count(DISTINCT e.caller_id) AS callers
       FROM reached r JOIN edges e ON e.caller_id = r.function_id WHERE e.callee_id <> e.caller_id GROUP BY e.callee_id)
SELECT f.name AS function,
       f.location,
       a.name AS thread,
       CASE a.threads WHEN 1 THEN a.tid END AS tid,
       a.calls,
       a.self_cpu_ns,
       a.file_threads,
       a.shared + a.not_seen + coalesce(further.callers, 0) AS other_callers,
       a.first_call
FROM alone a
     JOIN function_details f ON f.id = a.function_id
     CROSS JOIN params CROSS JOIN several
     LEFT JOIN further ON further.callee_id = a.function_id
WHERE several.yes AND a.calls >= params.min_calls
ORDER BY a.shared + a.not_seen > 0 OR further.callers > 0 OR a.chance, a.is_first, a.file_threads > 1, a.self_cpu_ns DESC,
         a.calls DESC, a.function_id
