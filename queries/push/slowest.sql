-- Where several functions share an id, the slowest calls of them all.
WITH listed AS (
       SELECT stable(f.stable_id) AS function_id, s.cpu_ns, s.duration_ns, s.call_id,
              row_number() OVER (PARTITION BY f.stable_id ORDER BY s.cpu_ns DESC, s.call_id) AS place
       FROM slow_calls s JOIN functions f ON f.id = s.function_id WHERE s.rank <= 3)
SELECT function_id, place,
       coalesce(context((SELECT c.frame_id FROM calls c WHERE c.id = listed.call_id)), 0) AS context_id,
       cpu_ns, duration_ns, call_id
FROM listed WHERE place <= 3
