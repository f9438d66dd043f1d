-- statement: call_at
SELECT id, enter_ns FROM main.calls WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1;

-- statement: block_at
SELECT id, alloc_ns FROM main.allocs WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1;
