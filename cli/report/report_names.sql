-- The statements of report_names.c. ?1: the style of names, 0 short, 1 full, 2 as the linker knows them.

-- statement: functions
SELECT id, CASE ?1 WHEN 2 THEN coalesce(linkage_name, name) WHEN 1 THEN coalesce(full_name, name) ELSE name END,
       file_id, line, module_id, own, CASE ?1 WHEN 0 THEN full_name END
FROM functions
