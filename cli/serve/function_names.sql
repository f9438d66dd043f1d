-- statement: one
SELECT id, name, own FROM main.functions WHERE id = ?1;
