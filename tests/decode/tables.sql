-- What a log gives, as text: a line of column names above the rows of each table that has any. Names are
-- module+0xoffset, for the logs of tests/decode have no program. Left out is what the load adds of its own
-- and the rollups, which decode.sh compares with the rows (tests/e2e/rollups.sql).
SELECT key AS run, json_quote(value) AS value FROM run
WHERE key NOT IN ('run_id', 'log_bytes', 'hook_inside_ps', 'hook_outside_ps') AND key NOT LIKE 'peak\_%' ESCAPE '\'
  AND key NOT LIKE 'hook\_cost\_%' ESCAPE '\' AND key NOT LIKE 'total\_%' ESCAPE '\' ORDER BY key;
SELECT id AS process, pid, parent_id AS parent, origin, executable, start_ns, end_ns, how_ended AS ended, status, signal
FROM processes ORDER BY id;
SELECT id AS thread, process_id AS process, tid, json_quote(name) AS name, start_ns, end_ns, first_call_id AS first_call,
       last_call_id AS last_call, calls, counted_calls AS counted, raw_self_ns, self_ns
FROM threads ORDER BY id;
SELECT id AS clock_of_thread, cpu_ns, wait_ns, preempted_ns, self_wait_ns, self_preempted_ns, self_waits, self_cpu_ns, unplaced_ns
FROM threads WHERE cpu_ns IS NOT NULL OR (SELECT count(*) FROM gaps) > 0 ORDER BY id;
SELECT id AS gap, thread_id AS thread, call_id AS call, start_ns, wall_ns, wait_ns, preempted_ns, waits, preemptions,
       minor_faults, major_faults
FROM gaps ORDER BY id;
SELECT id AS gap_of_recording, thread_id AS thread, call_id AS call, start_ns, wall_ns, held_ns FROM recording_gaps ORDER BY id;
SELECT m.process_id AS mapping_of_process, modules.path, printf('%x', m.bias) AS bias, printf('%x', m.start_address) AS start,
       printf('%x', m.end_address) AS "end", m.load_ns, m.unload_ns
FROM mappings m JOIN modules ON modules.id = m.module_id WHERE (SELECT count(*) FROM mappings) > 1
ORDER BY m.process_id, m.start_address, m.load_ns, m.id;
SELECT c.id AS call, c.thread_id AS thread, printf('%*s', 2 * c.depth, '') || d.function AS function, s.location AS called_from,
       c.enter_ns, c.duration_ns, c.self_ns, c.descendants, d.ended
FROM calls c JOIN call_details d ON d.id = c.id LEFT JOIN site_details s ON s.id = d.site_id ORDER BY c.id;
SELECT st.stack AS frame, fr.called_from, fr.calls, fr.counted_calls AS counted, fr.total_ns, fr.raw_total_ns, fr.self_ns,
       fr.raw_self_ns, fr.finished, fr.child_calls
FROM frame_details fr JOIN frame_stacks st ON st.frame_id = fr.id ORDER BY st.stack, fr.called_from;
SELECT st.stack AS frame, fr.wait_ns, fr.preempted_ns, fr.cpu_ns, fr.self_wait_ns, fr.self_preempted_ns, fr.self_waits,
       fr.self_cpu_ns, fr.min_ns, fr.max_ns
FROM frames fr JOIN frame_stacks st ON st.frame_id = fr.id WHERE (SELECT count(*) FROM gaps) > 0 ORDER BY st.stack, fr.site_id;
SELECT a.id AS block, a.thread_id AS thread, a.call_id AS call, a.kind, printf('%x', a.address) AS address, a.size,
       s.location AS allocated_at, a.alloc_ns, a.free_ns, a.free_thread_id AS free_thread, a.free_call_id AS free_call,
       a.free_kind, f.location AS freed_at, a.realloc_of, a.allocs_between, a.owner_call_id AS owner_call
FROM allocs a LEFT JOIN site_details s ON s.id = a.site_id LEFT JOIN site_details f ON f.id = a.free_site_id ORDER BY a.id;
SELECT first_alloc_id AS chain_from, last_alloc_id AS "to", length, moves, copied_bytes, first_size, last_size
FROM alloc_chains ORDER BY id;
SELECT s.kind || ' at ' || coalesce(d.location, '?') AS flow_of, fl.blocks, fl.mismatched, fl.example_mismatch_id AS example
FROM block_flows fl JOIN alloc_stacks s ON s.id = fl.stack_id LEFT JOIN site_details d ON d.id = s.site_id
WHERE fl.mismatched > 0 ORDER BY fl.id;
SELECT error AS free_error, kind, printf('%x', address) AS address, ns, thread_id AS thread, call_id AS call,
       alloc_id AS block FROM free_errors ORDER BY ns, id;
SELECT json_quote(text) AS note, ns, thread_id AS thread, call_id AS call FROM notes ORDER BY ns, id;
SELECT id AS left_by_macro, kind, level, label, file, line FROM notes WHERE kind <> 'note' ORDER BY id;
SELECT note_id AS value_of_note, position, json_quote(name) AS name, json_quote(value) AS value FROM note_values ORDER BY 1, 2;
SELECT thread_id AS paused_thread, call_id AS call, frame_id AS frame, start_ns, paused_ns FROM pauses ORDER BY id;
SELECT id AS gap_in_pause FROM gaps WHERE paused = 1 ORDER BY id;
SELECT id AS fault_rule, rule, target, action, reached, struck FROM fault_rules ORDER BY id;
SELECT x.rule_id AS fault_of_rule, x.ns, x.thread_id AS thread, x.call_id AS call, st.stack, s.location AS called_at
FROM faults x LEFT JOIN frame_stacks st ON st.frame_id = x.frame_id LEFT JOIN site_details s ON s.id = x.site_id ORDER BY x.id;
SELECT i.id AS incident, i.kind, i.signal, json_quote(i.message) AS message, i.ns, i.thread_id AS thread, i.call_id AS call,
       i.function, i.location, i.left_call_id AS left_call, CASE WHEN i.address IS NOT NULL THEN printf('%x', i.address) END AS address, i.block
FROM incident_details i ORDER BY i.id;
SELECT s.incident_id AS stack_of_incident, s.thread_id AS thread, s.depth, s.call_id AS call, f.function, f.called_from
FROM incident_stacks s JOIN incident_frames f USING(incident_id, thread_id, depth) ORDER BY 1, 2, 3;
SELECT o.id AS object, o.process_id AS process, printf('%x', o.address) AS address, o.first_ns, o.last_ns, o.gone_ns, o.refs, o.unrefs,
       o.held, o.first_diary_id, o.last_diary_id, o.first_ref_id, o.last_ref_id FROM objects o ORDER BY o.id;
SELECT d.id AS diary, d.object_id AS object, d.kind, json_quote(d.state) AS state, d.ns, d.thread_id AS thread, d.call_id AS call,
       st.stack, s.location AS said_at
FROM diaries d LEFT JOIN frame_stacks st ON st.frame_id = d.frame_id LEFT JOIN site_details s ON s.id = d.site_id ORDER BY d.id;
SELECT r.id AS reference, r.object_id AS object, r.kind, r.count, r.ns, r.thread_id AS thread, r.call_id AS call, st.stack,
       s.location AS said_at, r.problem, r.before_id AS "after"
FROM object_references r LEFT JOIN frame_stacks st ON st.frame_id = r.frame_id LEFT JOIN site_details s ON s.id = r.site_id ORDER BY r.id;
SELECT a.kind AS anomaly, a.ns, a.thread_id AS thread, a.call_id AS call, f.name AS function, a.calls, a.detail
FROM anomalies a LEFT JOIN functions f ON f.id = a.function_id ORDER BY a.ns, a.id;
SELECT reason AS loss, process_id AS process, thread_id AS thread, "offset", bytes, chunks, calls, events, from_ns, to_ns, detail
FROM losses ORDER BY id;
SELECT k.call_id AS cut_call, f.name AS function, st.stack FROM cut_calls k JOIN functions f ON f.id = k.function_id
JOIN frame_stacks st ON st.frame_id = k.frame_id ORDER BY k.call_id;
SELECT call_id AS valued_call, text FROM call_text WHERE call_id IN (SELECT call_id FROM call_values) ORDER BY call_id;
SELECT f.name || ' ' || p.position AS parameter, p.kind, s.calls, s.absent, s.unreadable, s.no_room, s.cut, s.distinct_values,
       iif(typeof(s.min_value) = 'real', printf('%!.15g', s.min_value), s.min_value) AS min_value,
       iif(typeof(s.max_value) = 'real', printf('%!.15g', s.max_value), s.max_value) AS max_value, s.text_bytes_max
FROM parameters p JOIN functions f ON f.id = p.function_id JOIN parameter_stats s ON s.parameter_id = p.id ORDER BY f.name, p.position;
SELECT f.name AS result_of, r.class, c.name AS "to", r.caller_class, r.calls, r.same_calls, r.first_call_id
FROM result_flows r JOIN functions f ON f.id = r.function_id LEFT JOIN functions c ON c.id = r.caller_id ORDER BY 1, 2, 3, 4;
SELECT l.id AS lock, l.kind, printf('%x', l.address) AS address, l.made, l.location, l.thread_id AS thread, l.first_ns, l.ended_ns
FROM lock_details l ORDER BY l.id;
SELECT w.lock_id AS wait_for, w.thread_id AS thread, w.call_id AS call, w.mode, w.start_ns, w.wait_ns, w.ended,
       w.held_by_thread_id AS held_by, w.held_by_call_id AS held_call, s.location AS held_at, w.deadlock
FROM lock_waits w LEFT JOIN site_details s ON s.id = w.held_by_site_id ORDER BY w.id;
SELECT h.lock_id AS held_lock, h.thread_id AS thread, h.times, h.hold_ns, h.longest_ns, h.longest_call_id AS call, h.failed
FROM lock_holds h ORDER BY 1, 2;
SELECT o.id AS "order", o.first_lock_id AS first, o.second_lock_id AS second, o.thread_id AS thread, o.first_mode, o.second_mode,
       o.times, o.ns, o.first_call_id AS first_call, o.call_id AS call, o.guards, o.cycle FROM lock_orders o ORDER BY o.id;
SELECT cycle, position, order_id AS "order", by_place FROM lock_cycles ORDER BY 1, 2;
SELECT m.misuse, m.lock_id AS lock, m.thread_id AS thread, m.call_id AS call, m.ns, m.other_thread_id AS other
FROM lock_misuses m ORDER BY m.id;

SELECT id, process_id, at_ns, what, json_quote(detail) AS detail FROM recording_changes;
SELECT from_ns, to_ns, process_id, json_quote(text) AS text FROM recording_limits;
