-- The statements of tables_incidents.c.

-- statement: unreported
-- Processes that the signal of a fault ended, of which the collector reported nothing: its handler was not called. We
-- take the thread that entered a call last for the one that failed.
WITH RECURSIVE
     ended AS MATERIALIZED (
       SELECT p.id, p.signal, p.end_ns
       FROM processes p
       WHERE p.how_ended = 'signal' AND p.signal IN (4, 5, 7, 8, 11, 31)
         AND NOT EXISTS (SELECT 1 FROM threads t JOIN incidents i ON i.thread_id = t.id
                         WHERE t.process_id = p.id AND i.kind NOT IN ('stacks', 'double-free'))),
     last AS MATERIALIZED (
       SELECT e.id, e.signal, t.id AS thread_id, c.id AS call_id, max(e.end_ns, t.end_ns) AS ns,
              row_number() OVER (PARTITION BY e.id ORDER BY c.enter_ns DESC, t.end_ns DESC, t.id) AS rank
       FROM ended e
            JOIN threads t ON t.process_id = e.id
            LEFT JOIN calls c ON c.id = t.last_call_id),
     outward(id, call_id) AS (
       SELECT id, call_id FROM last WHERE rank = 1 AND call_id IS NOT NULL
       UNION ALL
       SELECT o.id, c.parent_id
       FROM outward o CROSS JOIN calls c ON c.id = o.call_id
       WHERE c.ended <> 2 AND c.parent_id < c.id)
INSERT INTO incidents(kind, signal, message, thread_id, call_id, frame_id, ns)
SELECT 'signal', l.signal,
       CASE l.signal WHEN 4 THEN 'SIGILL' WHEN 5 THEN 'SIGTRAP' WHEN 7 THEN 'SIGBUS' WHEN 8 THEN 'SIGFPE'
                     WHEN 11 THEN 'SIGSEGV' ELSE 'SIGSYS' END
         || ' ended the process, and the handler of fisql was not called',
       l.thread_id, c.id, c.frame_id, coalesce(l.ns, c.enter_ns, 0)
FROM last l
     LEFT JOIN calls c ON c.ended = 2 AND c.id = (SELECT min(o.call_id) FROM outward o WHERE o.id = l.id)
WHERE l.rank = 1
ORDER BY l.id

-- statement: deadlocks
-- A row for each deadlock: of the wait that closed it, the last one to begin. The message tells the first 4 waits.
WITH parts AS MATERIALIZED (
       SELECT w.deadlock, w.thread_id, w.call_id, w.frame_id, w.site_id, w.start_ns,
              row_number() OVER (PARTITION BY w.deadlock ORDER BY w.start_ns, w.id) AS number,
              count(*) OVER (PARTITION BY w.deadlock) AS count,
              'thread ' || t.tid || coalesce(' (' || t.name || ')', '') || ' waits for ' || l.name
                || coalesce(' at ' || s.location, '') || coalesce(', held by thread ' || h.tid, '')
                || coalesce(', taken at ' || hs.location, '') AS text
       FROM lock_waits w
            JOIN threads t ON t.id = w.thread_id
            JOIN lock_details l ON l.id = w.lock_id
            LEFT JOIN threads h ON h.id = w.held_by_thread_id
            LEFT JOIN site_details s ON s.id = w.site_id
            LEFT JOIN site_details hs ON hs.id = w.held_by_site_id
       WHERE w.deadlock IS NOT NULL),
     told(deadlock, number, text) AS (
       SELECT deadlock, number, text FROM parts WHERE number = 1
       UNION ALL
       SELECT p.deadlock, p.number, t.text || '; ' || p.text
       FROM told t JOIN parts p ON p.deadlock = t.deadlock AND p.number = t.number + 1
       WHERE p.number <= 4)
INSERT INTO incidents(kind, message, thread_id, call_id, frame_id, site_id, ns)
SELECT 'deadlock',
       CASE p.count WHEN 1 THEN 'a thread waits for itself: '
                    ELSE p.count || ' threads wait for each other: ' END
         || t.text || CASE WHEN p.count > 4 THEN '; and ' || (p.count - 4) || ' more' ELSE '' END,
       p.thread_id, p.call_id, p.frame_id, p.site_id, p.start_ns
FROM parts p JOIN told t ON t.deadlock = p.deadlock AND t.number = min(p.count, 4)
WHERE p.number = p.count
ORDER BY p.deadlock

-- statement: threads
-- The threads of each incident's process. ?1: the last incident.
SELECT i.id, t.id, coalesce(i.call_id, 0), i.ns, t.id = i.thread_id, i.left_call_id IS NOT NULL,
       coalesce(t.first_call_id, 0), coalesce(t.last_call_id, 0)
FROM incidents i
     JOIN threads o ON o.id = i.thread_id
     JOIN threads t ON t.process_id = o.process_id
WHERE i.id <= ?1
ORDER BY i.id, t.id

-- statement: forked
-- The parent's threads where a fork made the process of thread ?1, and the context that its call ?2 was entered in.
SELECT coalesce(o.first_call_id, 0), coalesce(o.last_call_id, 0), p.start_ns, f.parent_id
FROM threads t
     JOIN processes p ON p.id = t.process_id AND p.origin = 'fork'
     JOIN threads o ON o.process_id = p.parent_id
     CROSS JOIN calls c
     CROSS JOIN frames f ON f.id = c.frame_id
WHERE t.id = ?1 AND c.id = ?2 AND c.depth > 0
ORDER BY o.id

-- statement: call
SELECT enter_ns, duration_ns, ended, coalesce(parent_id, 0), depth, frame_id FROM calls WHERE id = ?

-- statement: stack
INSERT OR IGNORE INTO incident_stacks(incident_id, thread_id, depth, call_id) VALUES(?, ?, ?, ?)

-- statement: left
UPDATE incidents SET left_call_id = nullif(?, 0) WHERE id = ?

-- statement: frees
-- Where the C library aborts in a free: the address that was freed, and the block that it was in, by the row of
-- free_errors that the thread wrote last, if that was in the same call.
UPDATE incidents
SET (address, block_id, block_offset) =
      (SELECT e.address, e.alloc_id, e.address - a.address
       FROM free_errors e
            LEFT JOIN allocs a ON a.id = e.alloc_id
       WHERE e.thread_id = incidents.thread_id AND e.ns <= incidents.ns AND e.call_id IS incidents.call_id
       ORDER BY e.ns DESC, e.id DESC
       LIMIT 1)
WHERE kind = 'library-abort' AND address IS NULL AND (message LIKE '%free%' OR message LIKE '%pointer%')

-- statement: blocks
-- The block that an incident's address lies in or near, in its process and those that it was forked from: it had their
-- blocks. A block in use then goes before a freed one, a block around the address before one beside it. No block lies
-- below 65536.
WITH RECURSIVE
     family(incident, process, address, ns) AS (
       SELECT i.id, t.process_id, i.address, i.ns
       FROM incidents i JOIN threads t ON t.id = i.thread_id
       WHERE i.address >= 65536
       UNION
       SELECT f.incident, p.parent_id, f.address, f.ns
       FROM family f JOIN processes p ON p.id = f.process
       WHERE p.origin = 'fork' AND p.parent_id IS NOT NULL),
     near AS (
       SELECT f.incident, a.id, f.address - a.address AS offset,
              row_number() OVER (PARTITION BY f.incident
                                 ORDER BY f.address NOT BETWEEN a.address AND a.address + a.size - 1,
                                          a.free_ns <= f.ns IS TRUE,
                                          max(a.address - f.address, f.address - a.address - a.size),
                                          a.alloc_ns DESC, a.id) AS rank
       FROM allocs a
            CROSS JOIN threads t ON t.id = a.thread_id
            CROSS JOIN family f ON f.process = t.process_id AND a.alloc_ns <= f.ns
                                   AND f.address BETWEEN a.address - 4096 AND a.address + a.size + 4095)
UPDATE incidents
SET (block_id, block_offset) =
      (SELECT n.id, n.offset FROM near n WHERE n.incident = incidents.id AND n.rank = 1)
WHERE address >= 65536

-- statement: pointers
CREATE TEMP TABLE incident_pointers(incident, pointer)

-- statement: pointer
INSERT INTO temp.incident_pointers VALUES(?, ?)

-- statement: freed
-- Where no block is known for the address itself: of the freed blocks that the function points into, the one that was
-- freed last.
WITH RECURSIVE
     family(incident, process, address, ns) AS (
       SELECT i.id, t.process_id, x.pointer, i.ns
       FROM temp.incident_pointers x
            JOIN incidents i ON i.id = x.incident AND i.block_id IS NULL
            JOIN threads t ON t.id = i.thread_id
       UNION
       SELECT f.incident, p.parent_id, f.address, f.ns
       FROM family f JOIN processes p ON p.id = f.process
       WHERE p.origin = 'fork' AND p.parent_id IS NOT NULL),
     pointed AS MATERIALIZED (
       SELECT f.incident, a.id, f.address - a.address AS offset, a.free_ns, a.free_ns <= f.ns IS TRUE AS freed,
              row_number() OVER (PARTITION BY f.incident, f.address
                                 ORDER BY a.free_ns <= f.ns IS TRUE, a.alloc_ns DESC, a.id) AS rank
       FROM allocs a
            CROSS JOIN threads t ON t.id = a.thread_id
            CROSS JOIN family f ON f.process = t.process_id AND a.alloc_ns <= f.ns
                                   AND f.address BETWEEN a.address AND a.address + max(a.size, 1) - 1)
UPDATE incidents
SET (block_id, block_offset) =
      (SELECT p.id, p.offset FROM pointed p
       WHERE p.incident = incidents.id AND p.rank = 1 AND p.freed
       ORDER BY p.free_ns DESC, p.id
       LIMIT 1)
WHERE block_id IS NULL AND id IN (SELECT incident FROM temp.incident_pointers)

-- statement: place
-- Adds the place of site ?1 to the message of incident ?2, unless that is in the collector: a stack may
-- run out in a hook.
UPDATE incidents
SET message = message || coalesce((SELECT iif(location LIKE 'in %', ', ', ', at ') || location
                                   FROM site_details
                                   WHERE id = ?1 AND location <> '?'
                                     AND coalesce(module, '') NOT LIKE 'libfisql%.so'), '')
WHERE id = ?2
