-- title:       Incidents
-- question:    Where did the program go wrong?
-- group:       Errors
-- description: Signals that end the program, failed assertions, abort(), exceptions without a handler, smashed stacks,
--              damage that the C library found: what it was, where, the block of memory that it is about, and the
--              stack. FISQL_STACKS leaves a row, too.
-- advice:      The stack is the true one, even if the program has overwritten its own. The stacks
--              of all threads at that moment are in the view incident_frames, their last calls in
--              calls (fisql trace --until).
-- source:      after an idea of FnTrace's: an assertion that prints the stacks of all threads and the last calls
-- report:      errors
-- filter:      function = function block_allocated_in block_freed_in
-- column:      incident | id | incidents.id
-- column:      kind | - | signal, assert, abort, terminate, stack-smashed, library-abort, double-free, deadlock, stacks
-- column:      message | - | what it was
-- column:      function | - | the innermost function with hooks
-- column:      location | - | the place in the code
-- column:      returned_from | function | where a return went astray: the function that ended last
-- column:      block | - | of the address in the message: how it lies to the block that it is in or next to
-- column:      block_allocated | - | where that was allocated
-- column:      block_allocated_in | function | by which function
-- column:      block_freed | - | where it had been freed
-- column:      block_freed_in | function | by which function
-- column:      ns | ns | when, since the run's start
-- column:      thread | - | in which thread
-- column:      call | id | calls.id of the innermost call then
-- column:      stack | stack | its stack, outermost first
SELECT i.id AS incident,
       i.kind,
       i.message,
       coalesce(i.function, '(outside any traced call)') AS function,
       i.location,
       i.left_function AS returned_from,
       i.block,
       i.block_allocated,
       i.block_allocated_in,
       i.block_freed,
       i.block_freed_in,
       i.ns,
       i.thread,
       i.call_id AS call,
       k.stack
FROM incident_details i LEFT JOIN frame_stacks k ON k.frame_id = i.frame_id
ORDER BY i.ns, i.id
