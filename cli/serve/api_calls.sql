-- statement: call
SELECT d.*, (SELECT text FROM main.call_text t WHERE t.call_id = d.id) AS text FROM main.call_details d WHERE d.id = ?1;

-- statement: stack
WITH RECURSIVE up(id, level) AS (
  SELECT (SELECT parent_id FROM main.calls WHERE id = ?1), 1
  UNION ALL SELECT (SELECT c.parent_id FROM main.calls c WHERE c.id = up.id), level + 1 FROM up
  WHERE up.id IS NOT NULL AND up.id < ?1 AND level < 1000)
SELECT c.id, fr.function_id, f.name AS function, f.location, c.enter_ns, c.duration_ns AS raw_duration_ns
FROM up JOIN main.calls c ON c.id = up.id JOIN main.frames fr ON fr.id = c.frame_id
     JOIN main.function_details f ON f.id = fr.function_id
ORDER BY up.level DESC;

-- statement: callees
WITH RECURSIVE next(id, number) AS (
  SELECT (SELECT id + 1 FROM main.calls WHERE id = ?1 AND descendants > 0), 1
  UNION ALL
  SELECT (SELECT c.id + c.descendants + 1 FROM main.calls c WHERE c.id = next.id AND c.id + c.descendants < ?2), number + 1
  FROM next WHERE next.id IS NOT NULL AND number < ?3)
SELECT c.id, fr.function_id, f.name AS function, c.enter_ns, c.duration_ns AS raw_duration_ns, c.descendants
FROM next JOIN main.calls c ON c.id = next.id JOIN main.frames fr ON fr.id = c.frame_id
     JOIN main.functions f ON f.id = fr.function_id
ORDER BY c.id;

-- statement: arguments
SELECT parameter, position, text FROM main.call_arguments WHERE call_id = ?1 ORDER BY position;

-- statement: tree
SELECT fr.id, fr.parent_id, fr.function_id, f.name AS function, f.location, fr.site_id, fr.depth, fr.calls,
       fr.total_ns, fr.self_ns, fr.cpu_ns, fr.self_cpu_ns, fr.wait_ns, fr.allocs, fr.alloc_bytes,
       fr.first_call_id, fr.slowest_call_id,
       EXISTS (SELECT 1 FROM main.frames k WHERE k.parent_id = fr.id) AS has_callees
FROM main.frames fr JOIN main.function_details f ON f.id = fr.function_id
WHERE fr.parent_id IS ?1 ORDER BY fr.total_ns DESC, fr.id LIMIT 5000;

-- statement: live
WITH held AS (
  SELECT frame_id, site_id, kind, count(*) AS blocks, sum(size) AS bytes FROM main.allocs
  WHERE alloc_ns <= ?1 AND (free_ns IS NULL OR free_ns > ?1)
  GROUP BY frame_id, site_id, kind ORDER BY bytes DESC, frame_id, site_id, kind LIMIT 100)
SELECT h.frame_id, f.function_id, h.kind, h.blocks, h.bytes, s.location AS allocated_at,
       (SELECT group_concat(name, ' => ') FROM (
          WITH RECURSIVE up(id, level) AS (
            SELECT h.frame_id, 0
            UNION ALL SELECT (SELECT k.parent_id FROM main.frames k WHERE k.id = up.id), level + 1 FROM up
            WHERE up.id IS NOT NULL AND level < 200)
          SELECT n.name FROM up JOIN main.frames k ON k.id = up.id JOIN main.functions n ON n.id = k.function_id
          ORDER BY level DESC)) AS stack
FROM held h LEFT JOIN main.frames f ON f.id = h.frame_id LEFT JOIN main.site_details s ON s.id = h.site_id
ORDER BY h.bytes DESC, h.frame_id, h.site_id, h.kind;

-- statement: live_sum
SELECT count(*) AS blocks, coalesce(sum(size), 0) AS bytes FROM main.allocs
WHERE alloc_ns <= ?1 AND (free_ns IS NULL OR free_ns > ?1);
