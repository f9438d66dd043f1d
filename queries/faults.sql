-- title:       Faults
-- question:    Which calls were made to fail?
-- group:       Faults
-- description: The calls that `fisql record --fault` made to fail, one after another, with the stack that each
--              happened in.
-- advice:      See what the program did next: `fisql trace --since` with the column ns. A rule that
--              never fired has no row; the table fault_rules says how many calls met its
--              conditions.
-- source:      fault injection: Marinescu & Candea, LFI: A Practical and General Library-Level Fault Injector, DSN 2009
-- needs:       faults
-- filter:      function = function
-- column:      rule | id | fault_rules.id, from 1 in the order in which they were given
-- column:      target | - | the function that failed
-- column:      action | - | what was done
-- column:      function | - | the innermost function with hooks: itself, or the caller of malloc, read and their relatives
-- column:      location | - | where the call that failed was made
-- column:      ns | ns | when, since the run's start
-- column:      thread | - | in which thread
-- column:      call | id | calls.id of the innermost call then
-- column:      stack | stack | its stack, outermost first
SELECT x.rule_id AS rule,
       CASE WHEN f.name GLOB r.target THEN f.name ELSE r.target END AS target,
       r.action,
       coalesce(f.name, '(outside any traced call)') AS function,
       s.location,
       x.ns,
       t.name AS thread,
       x.call_id AS call,
       k.stack
FROM faults x
     LEFT JOIN fault_rules r ON r.id = x.rule_id
     LEFT JOIN frames fr ON fr.id = x.frame_id LEFT JOIN functions f ON f.id = fr.function_id
     LEFT JOIN frame_stacks k ON k.frame_id = x.frame_id
     LEFT JOIN site_details s ON s.id = x.site_id
     LEFT JOIN threads t ON t.id = x.thread_id
ORDER BY x.ns, x.id
