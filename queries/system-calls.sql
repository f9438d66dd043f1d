-- title:       System calls
-- question:    Which system calls cost time, fail, move bytes?
-- group:       Time
-- description: System calls by the C library's functions that make them, by the time that passed in them; how often
--              they failed and why, how many bytes they read or wrote, and the line that spends the most there.
-- advice:      Few bytes a call: buffer, or use readv, sendfile, larger reads. Errors that the program expects cost
--              as much as successes: stat before each open, ENOENT along a search path, EAGAIN in a loop without poll.
--              Much self_wait_ns is what the call waited for (disk, peer, timer), not its cost.
-- source:      the calls of the wrappers that recorded modules make, and what they returned; system calls that
--              libraries make by themselves (fwrite's, malloc's), and what the vDSO does (clock_gettime), are not among them
-- needs:       library-calls
-- libraries:   shown
-- report:      none
-- param:       min_share = 0 | % | of the run's time in functions: leave out what takes less
-- filter:      function = function caller
-- column:      function | - | of the C library
-- column:      system_call | - | that it makes
-- column:      self_ns | ns | time in it
-- column:      share | % | of the time that all functions took themselves
-- column:      self_wait_ns | ns | part of self_ns that the thread waited
-- column:      calls | calls | of it
-- column:      self_per_call_ns | ns a call | mean time in it
-- column:      errors | calls | that returned -1
-- column:      errnos | - | what they failed with, and how often, the commonest first
-- column:      bytes | bytes | that it read, wrote or sent, where the result says so
-- column:      bytes_per_call | bytes | mean of the calls that moved some, or none
-- column:      caller | - | the function that spends the most there
-- column:      called_from | - | file and line of that call
-- column:      caller_share | % | of self_ns, by calls from that line
-- column:      callers | functions | that call it
WITH params AS (SELECT coalesce(:min_share, 0) AS min_share),
     moving(system_call) AS (
       VALUES ('read'), ('pread64'), ('readv'), ('preadv'), ('preadv2'), ('recvfrom'), ('recvmsg'), ('write'), ('pwrite64'),
              ('writev'), ('pwritev'), ('pwritev2'), ('sendto'), ('sendmsg'), ('sendfile'), ('splice'), ('tee'), ('vmsplice'),
              ('copy_file_range'), ('getrandom'), ('getdents64'), ('process_vm_readv'), ('process_vm_writev'),
              ('mq_timedreceive')),
     whole AS MATERIALIZED (SELECT total(self_ns) AS self_ns FROM function_stats),
     lines AS MATERIALIZED (
       SELECT e.callee_id, e.caller_id, e.site_id, sum(e.self_ns) AS self_ns, sum(e.calls) AS calls
       FROM functions f CROSS JOIN edges e ON e.callee_id = f.id
       WHERE f.system_call IS NOT NULL GROUP BY e.callee_id, e.caller_id, e.site_id),
     first AS MATERIALIZED (
       SELECT l.*, row_number() OVER (PARTITION BY callee_id ORDER BY self_ns DESC, calls DESC, caller_id, site_id) AS place
       FROM lines l),
     results AS MATERIALIZED (
       SELECT p.function_id, v.calls, v.positive_sum
       FROM parameters p JOIN parameter_stats v ON v.parameter_id = p.id WHERE p.position = 0),
     failures AS MATERIALIZED (
       SELECT p.function_id, v.calls,
              (SELECT group_concat(text || ' ' || calls, ', ')
               FROM (SELECT t.text, k.calls FROM value_counts k
                     JOIN value_count_texts t ON t.parameter_id = k.parameter_id AND t.rank = k.rank
                     WHERE k.parameter_id = p.id ORDER BY k.rank)) AS errnos
       FROM parameters p JOIN parameter_stats v ON v.parameter_id = p.id WHERE p.position = 31)
SELECT f.name AS function,
       f.system_call,
       s.self_ns,
       round(100.0 * s.self_ns / nullif(whole.self_ns, 0), 1) AS share,
       s.self_wait_ns,
       s.calls,
       round(1.0 * s.self_ns / s.calls, 1) AS self_per_call_ns,
       CASE WHEN r.function_id IS NOT NULL THEN coalesce(x.calls, 0) END AS errors,
       x.errnos,
       CASE WHEN m.system_call IS NOT NULL THEN r.positive_sum END AS bytes,
       CASE WHEN m.system_call IS NOT NULL THEN round(1.0 * r.positive_sum / nullif(r.calls - coalesce(x.calls, 0), 0), 1)
       END AS bytes_per_call,
       coalesce(c.name, '(no instrumented caller)') AS caller,
       d.location AS called_from,
       round(100.0 * first.self_ns / nullif(s.self_ns, 0), 1) AS caller_share,
       (SELECT count(DISTINCT caller_id) FROM lines l WHERE l.callee_id = f.id) AS callers
FROM functions f CROSS JOIN params CROSS JOIN whole
     JOIN function_stats s ON s.function_id = f.id
     LEFT JOIN results r ON r.function_id = f.id
     LEFT JOIN failures x ON x.function_id = f.id
     LEFT JOIN moving m ON m.system_call = f.system_call
     LEFT JOIN first ON first.callee_id = f.id AND first.place = 1
     LEFT JOIN functions c ON c.id = first.caller_id
     LEFT JOIN site_details d ON d.id = first.site_id
WHERE f.system_call IS NOT NULL AND s.calls > 0 AND 100.0 * s.self_ns >= params.min_share * whole.self_ns
ORDER BY s.self_ns DESC, s.calls DESC, f.id
