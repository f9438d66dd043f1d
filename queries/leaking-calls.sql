-- title:       Leaking calls
-- question:    Whose calls left more memory than they found?
-- group:       Memory
-- description: Functions whose calls ended with more memory than they began with, if some of it was
--              never freed. All memory that was allocated within the calls counts, callees
--              included.
-- advice:      Look at functions that should leave nothing behind; the worst call shows a case.
--              What is meant to live until the program ends (caches, tables) is no leak. Memory
--              that a caller or another thread freed later does not count as lost. If a process
--              called exit() with calls open, their objects were not destroyed. Left out are a
--              thread's first function, functions that leave memory in every call, as constructors
--              do, and that are called once (not-freed has these blocks), and functions most of
--              whose lost memory callees allocated, unless that is freed at other times and they
--              keep it in fewer of their calls; and what the C library keeps (see not-freed).
-- source:      net allocation of each call in its thread; blocks never freed, by calling context
-- needs:       allocations
-- report:      overview
-- hides:       min_blocks=0: they lost few blocks, and little memory
-- param:       min_bytes = 1 | bytes | leave out functions that lost less in all
-- param:       min_blocks = 10 | blocks | leave out functions that lost fewer, if that is less than a hundredth of the most memory
-- param:       constructors = 0 | 0 or 1 | 1 = also functions all of whose calls left memory
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      lost_bytes | bytes | allocated within its calls and never freed
-- column:      lost_blocks | blocks | the same in blocks
-- column:      leaking_calls | calls | that ended with more than they began
-- column:      share | % | of the finished calls
-- column:      leaked_bytes | bytes | the sum of what they left, freed later or not
-- column:      worst_bytes | bytes | left by the worst of them
-- column:      worst_call | id | its calls.id
-- column:      total_alloc_bytes | bytes | allocated within all calls
-- column:      total_free_bytes | bytes | freed within all calls
-- column:      calls | calls | all calls
WITH RECURSIVE
     params AS (SELECT coalesce(:min_bytes, 1) AS min_bytes, coalesce(:constructors, 0) AS constructors,
                       coalesce(:min_blocks, 10) AS min_blocks),
     live AS MATERIALIZED (
       SELECT a.id, p.frame_id, 10 * a.freed_blocks >= a.blocks AS partly, a.blocks - a.freed_blocks AS blocks,
              a.bytes - a.freed_bytes AS bytes
       FROM alloc_stacks a JOIN alloc_places p ON p.stack_id = a.id AND p.wrappers = 0
            JOIN frames fr ON fr.id = a.frame_id
            JOIN functions f ON f.id = fr.function_id LEFT JOIN sites s ON s.id = a.site_id
       WHERE a.blocks > a.freed_blocks AND a.id NOT IN (SELECT stack_id FROM kept_stacks)
         AND (a.blocks > 1 OR a.kind GLOB 'new*' OR coalesce(s.module_id = f.module_id, 1))),
     up(stack_id, frame_id, via_id) AS ( -- via: the callee that it came through, 0 = own code
       SELECT id, frame_id, 0 FROM live
       UNION
       SELECT up.stack_id, fr.parent_id, fr.function_id
       FROM up JOIN frames fr ON fr.id = up.frame_id WHERE fr.parent_id < fr.id),
     parts AS MATERIALIZED ( -- each stack once for each function in it
       SELECT fr.function_id, up.stack_id, min(up.via_id) AS via_id
       FROM up JOIN frames fr ON fr.id = up.frame_id
       GROUP BY fr.function_id, up.stack_id),
     lost AS (
       SELECT parts.function_id, sum(live.blocks) AS blocks, sum(live.bytes) AS bytes,
              max(live.partly) AS partly,
              total(CASE parts.via_id WHEN 0 THEN live.bytes END) AS own_bytes
       FROM parts JOIN live ON live.id = parts.stack_id GROUP BY parts.function_id),
     by_callee AS (
       SELECT parts.function_id, parts.via_id, sum(live.bytes) AS bytes
       FROM parts JOIN live ON live.id = parts.stack_id
       WHERE parts.via_id <> 0 GROUP BY parts.function_id, parts.via_id),
     through AS ( -- the callee that most came through
       SELECT function_id, via_id,
              row_number() OVER (PARTITION BY function_id ORDER BY bytes DESC, via_id) AS place
       FROM by_callee)
SELECT f.name AS function,
       f.location,
       lost.bytes AS lost_bytes,
       lost.blocks AS lost_blocks,
       s.leaking_calls,
       round(100.0 * s.leaking_calls / nullif(s.finished, 0), 1) AS share,
       s.leaked_bytes,
       s.worst_leak_bytes AS worst_bytes,
       s.worst_leak_call_id AS worst_call,
       s.total_alloc_bytes,
       s.total_free_bytes,
       s.calls
FROM lost
     JOIN function_stats s ON s.function_id = lost.function_id
     JOIN function_details f ON f.id = s.function_id
     LEFT JOIN through ON through.function_id = lost.function_id AND through.place = 1 AND 10 * lost.own_bytes <= lost.bytes
     LEFT JOIN function_stats v ON v.function_id = through.via_id
     CROSS JOIN params
WHERE s.leaking_calls > 0 AND 10 * lost.blocks >= s.leaking_calls
  AND (lost.blocks >= params.min_blocks
       OR 100 * lost.bytes >= (SELECT max(max_live_bytes) FROM memory_steps WHERE thread_id = 0) OR NOT params.min_blocks)
  AND NOT (s.leaking_calls = 1 AND s.worst_leak_call_id = s.first_call_id) -- made once, to be kept
  AND (params.constructors OR s.leaking_calls < s.finished) AND lost.bytes >= params.min_bytes
  AND s.callers > 0
  AND (v.function_id IS NULL OR lost.partly AND s.leaking_calls * v.finished < v.leaking_calls * s.finished)
ORDER BY lost.bytes DESC, lost.blocks DESC, s.function_id
