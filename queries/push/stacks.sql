-- One row for each context_id: of frames that differ in call sites alone, the first.
SELECT context(fr.id) AS context_id, stable(f.stable_id) AS function_id, context_stack(fr.id) AS stack
FROM frames fr JOIN functions f ON f.id = fr.function_id
WHERE context_first(fr.id)
