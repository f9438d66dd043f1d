-- fisql: the database that `fisql load` makes of a run.
--
-- Words. A run is one recording. A calling context, or context, is a function called from a site
-- within the context of its caller: a node of the calling context tree. Its table is called frames,
-- because a row is one frame of many stacks; the columns that name it are called so, too. A
-- function's self time is that of its own body; total includes what it called.
--
-- Times are INTEGER nanoseconds since the run's start in columns that end in _ns, sizes are bytes in
-- columns that end in _bytes or are named size. Ids are INTEGER PRIMARY KEY. The comments inside the
-- statements stay in the database: `.schema calls` in the sqlite3 shell explains itself.
--
-- Raw and adjusted times. Each call's two hooks cost time: an inside part that lies within the
-- call's own duration and an outside part that its caller pays. They are measured while the program
-- runs, and hook_costs has them for each call, in picoseconds; run.hook_inside_ps and
-- run.hook_outside_ps are their means, run.hook_cost_ns what they sum up to, and
-- run.hook_cost_error_ns by how much that may be off (run.hook_cost_source: samples of the run; a
-- reference run; or a loop when the process started). What writing the log took counts to the inside
-- part of the call that it was written in, and is not in the means. calls holds raw times. Rollups
-- hold adjusted times and, in raw_ columns, raw ones:
--   a call's adjusted duration = max(waiting and put aside within it, duration_ns - (its inside + both
--                                of its descendants)/1000)
--   an adjusted sum of self    = max(waiting and put aside in it, raw_self_ns - (inside of the calls +
--                                outside of the calls that they made directly)/1000)
--   an adjusted sum of totals  = the same of the outermost activations: max(waiting and put aside in
--                                them, raw_total_ns - their hooks as above/1000)
-- (integer division). Hooks run on the processor: no cost is taken out of time off it.
--
-- Wall and CPU times. A thread waits (for a lock, input, a sleep to end ...) or is put aside by the
-- scheduler (preempted). Where two of its events lie further apart than run.gap_ticks, its
-- processor clock was read: see gaps. So a total or self time, which is wall time, has beside it its
-- waiting part (wait_ns), its put-aside part (preempted_ns), and the rest, CPU time (cpu_ns).
-- What a thread waited for its log to be written is no waiting of the program's: it is taken out with the
-- hooks' cost, in hook_costs to the inside part of a call, and run.held_ns sums it up (none: no such fact).
-- Shorter gaps are not looked into: what a thread waits there counts as CPU time. So does waiting in
-- calls that were counted, not logged, which counts for their caller. Without the fact run.gap_ticks
-- nothing is known of waiting.
--
-- Sampled times (fisql record --time sampled). Counts, order and structure are exact, but of short
-- functions called often only some calls have a time: calls.duration_ns is NULL for the others, which
-- are part of their callers where single calls are drawn. Sums and statistics of frames, functions,
-- edges and threads are estimates for all calls: each timed call stands for those of its context since
-- the timed one before. Waiting is exact. run.options says sampled.
--
-- mean_ns, m2, min_ns, max_ns, median_ns, p99_ns and the histogram durations are of CPU durations:
--   a call's CPU duration = adjusted duration - waiting and put aside within it
-- Statistics are over finished calls (ended = 0 or 1); calls, self and total are over all.
-- m2 is the sum of squared deviations from mean_ns: variance = m2 / (finished - 1).
--
-- Values (fisql record --values). parameters says which parameters and result a function has,
-- call_values what was passed and returned. What is not known has no row there: the code did not say
-- where it lay (absent), its address could not be read (unreadable), there was no room for it in the
-- log (no_room), or nothing of the call was recorded. parameter_stats counts the first three. A value
-- is INTEGER, REAL or TEXT:
--   INTEGER  integers, bool, char, enumerations; pointers (0 = NULL; from 2^63 on negative)
--   REAL     floats
--   TEXT     text; of pointers to the start of a function of a module its name; structs by value,
--            {a = 1, b = 2}, or x and hexadecimal digits in the order of memory where the members are
--            not known; integers above 2^63 - 1 in decimal; floats that no REAL equals (nan, long double)
-- In text a backslash is \\, control characters and bytes that are no UTF-8 are \n, \t, \r or \x1b, and
-- where only its first bytes were recorded it ends in \... (which nothing else does).

PRAGMA application_id = 0x4653514c;
PRAGMA user_version = 26;

CREATE TABLE run( -- facts of the recording and of the load, e.g. command, clock, hook_inside_ps
  key TEXT PRIMARY KEY, -- name of the fact
  value                 -- its value: text, integer or real
) WITHOUT ROWID;

CREATE TABLE processes( -- one row for each process image (fork and exec make new ones)
  id INTEGER PRIMARY KEY,
  pid INTEGER NOT NULL,    -- process id in the system
  parent_id INTEGER REFERENCES processes(id), -- image that forked or started it, or that it replaced by exec
  origin TEXT,             -- 'start', 'fork', 'exec', or 'attach' (record -p)
  executable TEXT,         -- path of the program
  command TEXT,            -- arguments
  start_ns INTEGER,        -- when its recording started
  end_ns INTEGER,          -- when it ended, NULL if not known
  how_ended TEXT,          -- 'exit', '_exit', 'signal', 'detach' (record -p left it), NULL where its end was not seen
  status INTEGER,          -- exit status, where it exited
  signal INTEGER           -- number of the signal that ended it, where one did
);

CREATE TABLE threads( -- one row for each thread that left an event
  id INTEGER PRIMARY KEY,
  process_id INTEGER NOT NULL REFERENCES processes(id),
  tid INTEGER NOT NULL,    -- thread id in the system
  name TEXT,               -- name at its end (pthread_setname_np), else at its start
  start_ns INTEGER,        -- first event
  end_ns INTEGER,          -- its end or its process's, where known, else its last event
  first_call_id INTEGER,   -- its calls are the ids first_call_id .. last_call_id, NULL if none
  last_call_id INTEGER,
  calls INTEGER NOT NULL,  -- calls that are rows
  counted_calls INTEGER NOT NULL DEFAULT 0, -- calls that were counted, not logged
  raw_self_ns INTEGER NOT NULL DEFAULT 0,   -- time in instrumented code: sum of self_ns
  self_ns INTEGER NOT NULL DEFAULT 0,       -- the same adjusted for the hooks' cost
  wait_ns INTEGER NOT NULL DEFAULT 0,       -- all its waiting, outside of any call too
  preempted_ns INTEGER NOT NULL DEFAULT 0,  -- time put aside
  self_wait_ns INTEGER NOT NULL DEFAULT 0, self_preempted_ns INTEGER NOT NULL DEFAULT 0, -- within self_ns
  self_waits INTEGER NOT NULL DEFAULT 0,    -- gaps within its calls in which it waited
  paused_ns INTEGER NOT NULL DEFAULT 0,     -- between FISQL_PAUSE and FISQL_RESUME: not in self_ns
  unplaced_ns INTEGER NOT NULL DEFAULT 0,   -- off the processor, but in no row of gaps: in gaps of
                                            -- less than 1 us, or in ones too short to be looked into
  cpu_ns INTEGER,          -- on the processor, by its clock, from the first reading of that to the
                           -- last one; NULL where there are not two
  long_ns INTEGER NOT NULL DEFAULT 1024, -- its calls that take so long or longer are in long_calls
  self_cpu_ns INTEGER AS (max(0, self_ns - self_wait_ns - self_preempted_ns)) VIRTUAL
);

CREATE TABLE hook_costs( -- what the two hooks of a call cost, by ranges of calls
  thread_id INTEGER NOT NULL REFERENCES threads(id),
  first_call_id INTEGER PRIMARY KEY, -- the calls first_call_id .. last_call_id
  last_call_id INTEGER NOT NULL,
  inside_ps INTEGER NOT NULL,  -- within the call's own duration
  outside_ps INTEGER NOT NULL  -- paid by its caller
);

CREATE TABLE modules( -- one row for each executable or shared library, identified by build-id
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,      -- path when it was loaded
  name TEXT NOT NULL,      -- last part of the path
  build_id TEXT,           -- hexadecimal, NULL if it has none
  symbols TEXT,            -- where names came from: 'dwarf', 'symtab', 'none'
  problem TEXT,            -- why names or lines are missing: 'missing', 'build-id differs', ...
  patched INTEGER,         -- functions patched to record the module as it is, NULL = it was not patched
  optimized INTEGER,       -- of such a module: 1 = the compiler inlined functions in it, 0 = none; NULL = not known
  patch_problem TEXT       -- why it could not be patched
);

CREATE TABLE mappings( -- when and where a module was loaded
  id INTEGER PRIMARY KEY,
  module_id INTEGER NOT NULL REFERENCES modules(id),
  process_id INTEGER NOT NULL REFERENCES processes(id),
  bias INTEGER NOT NULL,   -- address in memory less address in the file
  start_address INTEGER NOT NULL, -- executable range in memory
  end_address INTEGER NOT NULL,
  load_ns INTEGER,         -- when it was loaded, NULL = before the recording
  unload_ns INTEGER        -- when it was unloaded, NULL = never
);

CREATE TABLE files( -- source files
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,      -- as the compiler recorded it, made absolute by its folder
  name TEXT NOT NULL,      -- last part of the path
  md5 TEXT                 -- checksum of the file that was compiled, as clang writes it; NULL = not known
);

CREATE TABLE functions( -- every function of every instrumented module, called or not
  id INTEGER PRIMARY KEY,
  module_id INTEGER REFERENCES modules(id), -- that it is part of: of an inlined copy of a library's
                           -- function the program that has the copy
  address INTEGER NOT NULL,-- in the file it lies in (less bias): the module's, or that library's
  size INTEGER,            -- bytes of code, NULL if not known
  name TEXT NOT NULL,      -- short: without return type, parameters (but where functions would meet
                           -- in one name) and default template arguments; module+0xoffset where no
                           -- name is known. Functions of one name have one full_name, and no name
                           -- holds the " => " of stacks: of such a one the > is written \x3e
  full_name TEXT,          -- demangled in full, NULL where it is the same
  linkage_name TEXT,       -- mangled, where it differs
  file_id INTEGER REFERENCES files(id),
  line INTEGER,            -- line of its definition
  instrumented INTEGER NOT NULL, -- 1 = compiled with hooks (or seen called), 0 = not
  stable_id TEXT NOT NULL, -- the same in other builds: hash of module name, linkage name and file
  scope TEXT,              -- the callers that can name it: 'static' (its translation unit), 'weak' (each
                           -- unit has it: C++ inline functions, templates), 'global', NULL not known
  unit INTEGER,            -- translation unit of its code, counted in its module, NULL = not known
                           -- or copies in several
  inlined INTEGER NOT NULL DEFAULT 0, -- 1 = the compiler inlined it somewhere, even with its hooks
  not_hooked TEXT,         -- of a module recorded as it is: why the function's calls are not recorded
  inlined_copies INTEGER NOT NULL DEFAULT 0, -- copies of it that the compiler inlined into other code, by
                           -- DWARF, where a run of a copy is no call: 0 in modules with hooks, whose
                           -- copies call them, and where it is not known
  call_targets INTEGER,    -- distinct functions that its code calls by name, taken or not, those of
                           -- bodies inlined into it too, hooks left out; NULL = not known
  call_sources INTEGER NOT NULL DEFAULT 0, -- distinct functions of its module whose code calls it so, not
                           -- through a stub
  own INTEGER NOT NULL DEFAULT 1, -- 1 = the user's own; 0 = its source lies in a folder of the system
                           -- or the compiler, or is not known and its library has no hooks
  external INTEGER NOT NULL DEFAULT 0, -- 1 = of a library that is not recorded itself: the calls are
                           -- those that recorded modules make (record --library-calls)
  system_call TEXT         -- of such a one: the system call that it makes each time, and little else
);

CREATE TABLE module_map( -- the user's own modules, by `fisql modules --map`: of the patterns that fit a function, the first names its module
  position INTEGER PRIMARY KEY, -- from 1, in the map's order
  name TEXT NOT NULL,      -- the module's; several patterns may have it
  kind TEXT NOT NULL,      -- what the pattern fits: 'file', the source file's path; 'fn', the function's
                           -- name; 'lib', the name of its program or library
  pattern TEXT NOT NULL    -- as of GLOB
);

CREATE TABLE mapped_functions( -- the functions that a pattern of module_map fits; all others have their library as their module
  function_id INTEGER PRIMARY KEY REFERENCES functions(id),
  name TEXT NOT NULL       -- of its module in the map
);

CREATE TABLE sites( -- places in the code that calls or allocations were made from
  id INTEGER PRIMARY KEY,
  module_id INTEGER REFERENCES modules(id),
  address INTEGER NOT NULL,-- return address in the module's file (less bias)
  function_id INTEGER REFERENCES functions(id), -- function the site lies in, NULL if not known
  file_id INTEGER REFERENCES files(id),
  line INTEGER,            -- of the call; where it was inlined out of a system header's function, of
                           -- the call of that. NULL in a copy of such a function that has no hooks: a
                           -- block's site is where own code led there, if the code leaves no doubt
  indirect INTEGER         -- 1 = a call through a pointer, 0 = by name, NULL = not known
);

CREATE TABLE frames( -- calling contexts: function + site under a parent context, recursion folded
  id INTEGER PRIMARY KEY,  -- larger than the parent's
  parent_id INTEGER REFERENCES frames(id), -- NULL for a root
  function_id INTEGER NOT NULL REFERENCES functions(id),
  site_id INTEGER REFERENCES sites(id),
  depth INTEGER NOT NULL,  -- 0 for a root
  calls INTEGER NOT NULL,  -- calls in this context, rows or counted
  total_ns INTEGER NOT NULL, -- time with callees, outermost activations only
  self_ns INTEGER NOT NULL,  -- time in the function's own body
  min_ns INTEGER,          -- shortest finished call, in CPU time
  max_ns INTEGER,          -- longest finished call, in CPU time
  mean_ns REAL,            -- mean of the finished calls
  m2 REAL,                 -- sum of squared deviations from mean_ns
  finished INTEGER NOT NULL, -- calls that returned or were unwound, counted ones not included
  fastest_call_id INTEGER, -- calls.id of the shortest finished call
  slowest_call_id INTEGER, -- calls.id of the longest finished call
  first_call_id INTEGER,   -- calls.id of its first call that has a row
  last_call_id INTEGER,    -- and of its last one
  raw_total_ns INTEGER NOT NULL, -- total_ns with the hooks' cost
  raw_self_ns INTEGER NOT NULL,  -- self_ns with the hooks' cost
  child_calls INTEGER NOT NULL,  -- calls made directly by its calls
  counted_calls INTEGER NOT NULL DEFAULT 0, -- part of calls that was counted, not logged
  first_ns INTEGER,        -- enter of its first call
  last_ns INTEGER,         -- enter of its last call
  allocs INTEGER NOT NULL DEFAULT 0,      -- blocks allocated directly by its calls
  alloc_bytes INTEGER NOT NULL DEFAULT 0,
  frees INTEGER NOT NULL DEFAULT 0,       -- blocks freed directly by its calls
  free_bytes INTEGER NOT NULL DEFAULT 0,
  wait_ns INTEGER NOT NULL DEFAULT 0, preempted_ns INTEGER NOT NULL DEFAULT 0, -- off the processor within total_ns
  self_wait_ns INTEGER NOT NULL DEFAULT 0, self_preempted_ns INTEGER NOT NULL DEFAULT 0, -- within self_ns
  self_waits INTEGER NOT NULL DEFAULT 0, -- gaps in its own body in which the thread waited
  paused_ns INTEGER NOT NULL DEFAULT 0, -- between FISQL_PAUSE and FISQL_RESUME: not in self_ns
  total_error_ns INTEGER, self_error_ns INTEGER, -- standard errors of estimates (--time sampled), else NULL
  cpu_ns INTEGER AS (max(0, total_ns - wait_ns - preempted_ns)) VIRTUAL, -- on the processor
  self_cpu_ns INTEGER AS (max(0, self_ns - self_wait_ns - self_preempted_ns)) VIRTUAL
);

CREATE TABLE calls( -- one row for each call, ids in pre-order: the calls within call c are
                    -- id BETWEEN c.id + 1 AND c.id + c.descendants. Fewer rows where the log was
                    -- loaded with --calls=long or none, as run.calls says
  id INTEGER PRIMARY KEY,
  parent_id INTEGER AS (id - parent_distance) VIRTUAL, -- calls.id of the caller, NULL for a root
  thread_id INTEGER NOT NULL,   -- threads.id
  frame_id INTEGER NOT NULL,    -- frames.id
  depth INTEGER NOT NULL,       -- number of calls open around it in its thread
  enter_ns INTEGER NOT NULL,    -- when it was entered
  duration_ns INTEGER,          -- from entry to exit, the hooks' cost included; up to the thread's end
                                -- where it is still open. NULL: not timed (record --time sampled);
                                -- then enter_ns is the last time known before it
  self_ns INTEGER AS (duration_ns - children_ns) VIRTUAL, -- time in the function's own body
  parent_distance INTEGER,      -- id - parent_id, NULL for a root (stored in place of parent_id)
  descendants INTEGER NOT NULL DEFAULT 0, -- calls made within it, at any depth
  children_ns INTEGER NOT NULL DEFAULT 0, -- time in its direct callees, and paused (stored in place of self_ns)
  ended INTEGER NOT NULL DEFAULT 0 -- 0 returned, 1 unwound (longjmp, exception), 2 still open when
                                   -- the thread or the log ended, 3 its exit was lost
);

CREATE TABLE allocs( -- one row for each block of memory
  id INTEGER PRIMARY KEY,
  call_id INTEGER,         -- calls.id of the innermost call that allocated it, NULL outside any
  frame_id INTEGER,        -- frames.id of that call
  thread_id INTEGER NOT NULL, -- thread that allocated it
  site_id INTEGER,         -- where malloc or the like was called
  kind TEXT NOT NULL,      -- 'malloc', 'calloc', 'realloc', 'new', 'new[]', ...
  address INTEGER NOT NULL,
  size INTEGER NOT NULL,   -- bytes asked for
  alloc_ns INTEGER NOT NULL,
  free_ns INTEGER,         -- NULL = not freed
  free_call_id INTEGER,
  free_frame_id INTEGER,
  free_thread_id INTEGER,
  free_site_id INTEGER,
  free_kind TEXT,          -- 'free', 'delete', 'delete[]', 'realloc', ...
  realloc_of INTEGER,      -- allocs.id of the block that realloc made this one of
  allocs_between INTEGER,  -- allocations its thread made after it and before its free, where the
                           -- same thread freed it
  owner_call_id INTEGER    -- the deepest call open at both its allocation and its free, same thread
);

CREATE TABLE gaps( -- where threads were off the processor for more than 1 us between two events that
                   -- lie further apart than run.gap_ticks, or waited there for a page of a file
  id INTEGER PRIMARY KEY,
  thread_id INTEGER NOT NULL, -- threads.id
  call_id INTEGER,         -- calls.id of the innermost call then, NULL outside any
  frame_id INTEGER,        -- frames.id of that call
  start_ns INTEGER NOT NULL, -- the event before the gap
  wall_ns INTEGER NOT NULL,  -- from it to the event after, or to the thread's end
  wait_ns INTEGER NOT NULL,  -- off the processor, where it gave it up at least as often as it was put aside, or for longer than that takes
  preempted_ns INTEGER NOT NULL, -- off the processor, where it was put aside more often
  -- what the kernel counted since the reading before; NULL where it was not asked: in the last gap of
  -- a thread. Where its clock was not read there, either, the whole gap counts as waiting.
  waits INTEGER,           -- voluntary switches
  preemptions INTEGER,     -- involuntary ones
  minor_faults INTEGER,    -- page faults without input or output
  major_faults INTEGER,    -- page faults with it
  paused INTEGER NOT NULL DEFAULT 0 -- 1 = its call was (see pauses): in no self_wait_ns, self_preempted_ns, self_waits
);

CREATE TABLE recording_gaps( -- when a thread wrote its log, or waited for that, or ran callbacks (fisql_on_call),
                   -- or patched a library that it opened, instead of running. A call's duration in calls contains it, an
                   -- adjusted one does not: it is in hook_costs, in the inside part of its call
  id INTEGER PRIMARY KEY,
  thread_id INTEGER NOT NULL, -- threads.id
  call_id INTEGER NOT NULL, -- calls.id of the innermost call then
  start_ns INTEGER NOT NULL,
  wall_ns INTEGER NOT NULL,
  held_ns INTEGER NOT NULL -- of that, off the processor: the disk was too slow, or a callback waited
);

CREATE TABLE pauses( -- when a call waited for what is not its own work: FISQL_PAUSE to FISQL_RESUME
  id INTEGER PRIMARY KEY,
  thread_id INTEGER NOT NULL, -- threads.id
  call_id INTEGER NOT NULL, -- calls.id of the call that paused
  frame_id INTEGER NOT NULL, -- frames.id of it
  start_ns INTEGER NOT NULL,
  paused_ns INTEGER NOT NULL -- up to FISQL_RESUME or the call's end, without what its callees took: in its
                           -- children_ns, not in its self_ns
);

-- Rollups. Each equals what SQL over calls, gaps and allocs gives (tests/e2e/rollups.sql does it).

CREATE TABLE function_stats( -- one row for each function that was called
  function_id INTEGER PRIMARY KEY REFERENCES functions(id),
  calls INTEGER NOT NULL,      -- rows and counted
  total_ns INTEGER NOT NULL,   -- outermost activations of the function in each thread
  self_ns INTEGER NOT NULL,
  raw_total_ns INTEGER NOT NULL,
  raw_self_ns INTEGER NOT NULL,
  finished INTEGER NOT NULL,   -- calls that returned or were unwound (not counted ones)
  min_ns INTEGER, max_ns INTEGER, mean_ns REAL, m2 REAL, -- CPU durations of finished calls
  fastest_call_id INTEGER, slowest_call_id INTEGER,
  counted_calls INTEGER NOT NULL DEFAULT 0,
  child_calls INTEGER NOT NULL,     -- calls made directly by its calls
  calling INTEGER NOT NULL,         -- its calls that made at least one call
  single_child_calls INTEGER NOT NULL, -- its finished calls that made exactly one call
  callees INTEGER NOT NULL,         -- distinct functions it called directly
  callers INTEGER NOT NULL,         -- distinct functions that called it directly (NULL caller not)
  root_calls INTEGER NOT NULL,      -- calls without an instrumented caller
  unwound INTEGER NOT NULL, open INTEGER NOT NULL, -- calls that ended = 1; 2 or 3
  first_enter_ns INTEGER, first_call_id INTEGER,
  last_enter_ns INTEGER, last_call_id INTEGER,
  last_exit_ns INTEGER,             -- end of the call that ended last
  depth_max INTEGER NOT NULL, deepest_call_id INTEGER, -- deepest stack it was called at
  nesting_max INTEGER NOT NULL,     -- most activations of it open at once in a thread (1 = none nested)
  nested_call_id INTEGER,           -- the call at that nesting
  recursive_calls INTEGER NOT NULL, -- calls made while one of its calls was open in the thread
  direct_recursive_calls INTEGER NOT NULL, -- those whose direct caller was itself
  sequences INTEGER NOT NULL,       -- distinct sequences of direct callees (see call_sequences)
  sequences_complete INTEGER NOT NULL DEFAULT 1, -- 0 = there were more than could be kept
  -- memory, by the function's own code and within its outermost activations
  allocs INTEGER NOT NULL DEFAULT 0, alloc_bytes INTEGER NOT NULL DEFAULT 0,
  frees INTEGER NOT NULL DEFAULT 0, free_bytes INTEGER NOT NULL DEFAULT 0,
  total_allocs INTEGER NOT NULL DEFAULT 0, total_alloc_bytes INTEGER NOT NULL DEFAULT 0,
  total_frees INTEGER NOT NULL DEFAULT 0, total_free_bytes INTEGER NOT NULL DEFAULT 0,
  live_blocks_max INTEGER NOT NULL DEFAULT 0, -- most blocks allocated by its own code live at once
  live_bytes_max INTEGER NOT NULL DEFAULT 0,
  -- its finished calls at whose end more of what the thread had allocated within them was live than
  -- freed (frees by other threads not seen), the sum, and the worst of them
  leaking_calls INTEGER NOT NULL DEFAULT 0, leaked_bytes INTEGER NOT NULL DEFAULT 0,
  worst_leak_bytes INTEGER, worst_leak_call_id INTEGER,
  wait_ns INTEGER NOT NULL DEFAULT 0, preempted_ns INTEGER NOT NULL DEFAULT 0, -- off the processor within total_ns
  self_wait_ns INTEGER NOT NULL DEFAULT 0, self_preempted_ns INTEGER NOT NULL DEFAULT 0, -- within self_ns
  self_waits INTEGER NOT NULL DEFAULT 0, -- gaps in its own body in which the thread waited
  paused_ns INTEGER NOT NULL DEFAULT 0, -- between FISQL_PAUSE and FISQL_RESUME: not in self_ns
  cpu_ns INTEGER AS (max(0, total_ns - wait_ns - preempted_ns)) VIRTUAL, -- on the processor
  self_cpu_ns INTEGER AS (max(0, self_ns - self_wait_ns - self_preempted_ns)) VIRTUAL,
  -- CPU durations that 50 and 99 of a hundred finished calls do not exceed; up to 3.2 % off
  median_ns INTEGER, p99_ns INTEGER,
  total_error_ns INTEGER, self_error_ns INTEGER -- standard errors of estimates (--time sampled), else NULL
);

CREATE TABLE thread_functions( -- which thread called what
  thread_id INTEGER NOT NULL REFERENCES threads(id),
  function_id INTEGER NOT NULL REFERENCES functions(id),
  calls INTEGER NOT NULL,
  total_ns INTEGER NOT NULL, self_ns INTEGER NOT NULL,
  raw_total_ns INTEGER NOT NULL, raw_self_ns INTEGER NOT NULL,
  first_call_id INTEGER, last_call_id INTEGER,
  wait_ns INTEGER NOT NULL DEFAULT 0, preempted_ns INTEGER NOT NULL DEFAULT 0, -- off the processor within total_ns
  self_wait_ns INTEGER NOT NULL DEFAULT 0, self_preempted_ns INTEGER NOT NULL DEFAULT 0, -- within self_ns
  self_waits INTEGER NOT NULL DEFAULT 0, -- gaps in its own body in which the thread waited
  paused_ns INTEGER NOT NULL DEFAULT 0, -- between FISQL_PAUSE and FISQL_RESUME: not in self_ns
  cpu_ns INTEGER AS (max(0, total_ns - wait_ns - preempted_ns)) VIRTUAL, -- on the processor
  self_cpu_ns INTEGER AS (max(0, self_ns - self_wait_ns - self_preempted_ns)) VIRTUAL,
  PRIMARY KEY(thread_id, function_id)
) WITHOUT ROWID;

CREATE TABLE long_calls( -- the calls that take threads.long_ns or longer, for drawing: a window is one range in each class
  thread_id INTEGER NOT NULL,   -- threads.id
  class INTEGER NOT NULL,       -- of the duration: at least 4^(class - 1) ns, less than 4^class ns
  enter_ns INTEGER NOT NULL,
  call_id INTEGER NOT NULL,     -- calls.id
  duration_ns INTEGER NOT NULL, -- as in calls
  depth INTEGER NOT NULL,
  function_id INTEGER NOT NULL, -- functions.id
  PRIMARY KEY(thread_id, class, enter_ns, call_id)
) WITHOUT ROWID;

CREATE TABLE slices( -- sums by slices of time, run.slice_ns long, for drawing what is too short to be drawn
  thread_id INTEGER NOT NULL,   -- threads.id
  slice INTEGER NOT NULL,       -- its number: it begins at slice * run.slice_ns
  calls INTEGER NOT NULL,       -- entered in it
  short_ns INTEGER NOT NULL,    -- sum of self_ns of the short ones: less than a slice, and fewer than 1000 descendants
  function_id INTEGER,          -- functions.id with most of short_ns, the first of several; NULL = no short calls
  function_ns INTEGER NOT NULL, -- its part
  PRIMARY KEY(thread_id, slice)
) WITHOUT ROWID;

CREATE TABLE edges( -- direct calls between functions, by call site
  id INTEGER PRIMARY KEY,
  caller_id INTEGER REFERENCES functions(id), -- NULL = no instrumented caller
  site_id INTEGER REFERENCES sites(id),
  callee_id INTEGER NOT NULL REFERENCES functions(id),
  calls INTEGER NOT NULL,
  total_ns INTEGER NOT NULL, -- calls that were the outermost activation of the callee
  raw_total_ns INTEGER NOT NULL,
  self_ns INTEGER NOT NULL, raw_self_ns INTEGER NOT NULL, -- own time of the callee in these calls
  first_call_id INTEGER,
  slowest_call_id INTEGER,   -- the one with most CPU time that finished, NULL if none did
  wait_ns INTEGER NOT NULL DEFAULT 0, preempted_ns INTEGER NOT NULL DEFAULT 0, -- off the processor within total_ns
  self_wait_ns INTEGER NOT NULL DEFAULT 0, self_preempted_ns INTEGER NOT NULL DEFAULT 0, -- within self_ns
  self_waits INTEGER NOT NULL DEFAULT 0, -- gaps in its own body in which the thread waited
  paused_ns INTEGER NOT NULL DEFAULT 0, -- between FISQL_PAUSE and FISQL_RESUME: not in self_ns
  cpu_ns INTEGER AS (max(0, total_ns - wait_ns - preempted_ns)) VIRTUAL, -- on the processor
  self_cpu_ns INTEGER AS (max(0, self_ns - self_wait_ns - self_preempted_ns)) VIRTUAL
);
CREATE INDEX edges_caller ON edges(caller_id, callee_id);
CREATE INDEX edges_callee ON edges(callee_id, caller_id);
CREATE INDEX edges_entry ON edges(callee_id, site_id);

CREATE TABLE context_edges( -- distinct calls between contexts, each context by its function and call site: what
                            -- a function calls when it is called from one place
  id INTEGER PRIMARY KEY,
  caller_id INTEGER REFERENCES functions(id), -- NULL = no instrumented caller
  caller_site_id INTEGER REFERENCES sites(id), -- that the caller's context was called from
  site_id INTEGER REFERENCES sites(id),
  callee_id INTEGER NOT NULL REFERENCES functions(id)
);

CREATE TABLE callee_runs( -- a callee run: calls of one callee in a row by one call, with no other between
  caller_id INTEGER NOT NULL REFERENCES functions(id),
  callee_id INTEGER NOT NULL REFERENCES functions(id),
  count INTEGER NOT NULL,          -- callee runs of any length, also 1
  calls INTEGER NOT NULL,          -- calls in them
  caller_calls INTEGER NOT NULL,   -- calls of the caller that called the callee at least once
  longest INTEGER NOT NULL,        -- calls in the longest
  longest_call_id INTEGER,         -- the caller's call that made the longest
  raw_total_ns INTEGER NOT NULL,   -- time inside the callee's calls (durations, recursion counted)
  PRIMARY KEY(caller_id, callee_id)
) WITHOUT ROWID;

CREATE TABLE callee_transitions( -- which callee followed which within one call of a caller
  caller_id INTEGER NOT NULL REFERENCES functions(id),
  previous_id INTEGER NOT NULL,    -- functions.id of the callee before, 0 = it was the first
  callee_id INTEGER NOT NULL REFERENCES functions(id),
  count INTEGER NOT NULL,          -- callee runs that came directly after one of previous
  example_call_id INTEGER,         -- a call of the caller in which it was so
  PRIMARY KEY(callee_id, caller_id, previous_id)
) WITHOUT ROWID;

CREATE TABLE call_sequences( -- distinct sequences of direct callees of a function, callee runs folded
  function_id INTEGER NOT NULL REFERENCES functions(id),
  rank INTEGER NOT NULL,           -- 1 = the commonest; only the commonest few are kept
  calls INTEGER NOT NULL,          -- ended calls of the function with this sequence
  sequence TEXT NOT NULL,          -- functions.id of the callees, separated by spaces; '' = none
  length INTEGER NOT NULL,         -- callees in the sequence (the text is cut after 64)
  example_call_id INTEGER,
  PRIMARY KEY(function_id, rank)
) WITHOUT ROWID;

CREATE TABLE intervals( -- histogram of time from one entry to a function to the next, in a thread
  function_id INTEGER NOT NULL REFERENCES functions(id),
  log2 INTEGER NOT NULL,           -- 2^log2 <= interval in ns < 2^(log2+1); 0 also holds 0 ns
  count INTEGER NOT NULL,
  PRIMARY KEY(function_id, log2)
) WITHOUT ROWID;

CREATE TABLE durations( -- histogram of the CPU durations of a function's finished calls
  function_id INTEGER NOT NULL REFERENCES functions(id),
  log2 INTEGER NOT NULL,           -- as in intervals
  count INTEGER NOT NULL,
  PRIMARY KEY(function_id, log2)
) WITHOUT ROWID;

CREATE TABLE slow_calls( -- the finished calls of each function with most CPU time (up to 16)
  function_id INTEGER NOT NULL REFERENCES functions(id),
  rank INTEGER NOT NULL,           -- 1 = the slowest
  call_id INTEGER NOT NULL,
  duration_ns INTEGER NOT NULL,    -- adjusted, waiting included
  raw_duration_ns INTEGER NOT NULL,
  wait_ns INTEGER NOT NULL DEFAULT 0, preempted_ns INTEGER NOT NULL DEFAULT 0, -- within duration_ns
  cpu_ns INTEGER AS (max(0, duration_ns - wait_ns - preempted_ns)) VIRTUAL,
  PRIMARY KEY(function_id, rank)
) WITHOUT ROWID;

CREATE TABLE recursions( -- one row for each recursive function
  function_id INTEGER PRIMARY KEY REFERENCES functions(id),
  cycle TEXT NOT NULL,             -- functions.id along the first cycle seen, separated by spaces:
                                   -- '7' calls itself, '7 9' calls 9, which calls it
  example_call_id INTEGER          -- the inner call of that cycle
);

CREATE TABLE alloc_stacks( -- blocks by where they were allocated
  id INTEGER PRIMARY KEY,
  frame_id INTEGER,                -- NULL = outside any traced call
  site_id INTEGER,
  kind TEXT NOT NULL,
  blocks INTEGER NOT NULL, bytes INTEGER NOT NULL,
  freed_blocks INTEGER NOT NULL, freed_bytes INTEGER NOT NULL,
  live_blocks_max INTEGER NOT NULL, live_bytes_max INTEGER NOT NULL, -- most live at once
  peak_blocks INTEGER NOT NULL, peak_bytes INTEGER NOT NULL, -- live at the run's peak (run.peak_ns)
  min_size INTEGER NOT NULL, max_size INTEGER NOT NULL,
  lifetime_ns INTEGER NOT NULL,    -- sum over the freed blocks
  lifetime_max_ns INTEGER,
  cross_thread_frees INTEGER NOT NULL,
  first_ns INTEGER NOT NULL, last_ns INTEGER NOT NULL,
  first_alloc_id INTEGER NOT NULL, -- allocs.id of the first and the last block
  last_alloc_id INTEGER NOT NULL,
  first_live_id INTEGER, last_live_id INTEGER -- the same among the blocks not freed
);

CREATE TABLE alloc_sizes( -- how many blocks of which size (up to 64 sizes a context and site)
  stack_id INTEGER NOT NULL REFERENCES alloc_stacks(id),
  size INTEGER NOT NULL,           -- -1 = all further sizes together
  blocks INTEGER NOT NULL,
  PRIMARY KEY(stack_id, size)
) WITHOUT ROWID;

CREATE TABLE alloc_distances( -- blocks by allocs_between, up to 15
  stack_id INTEGER NOT NULL REFERENCES alloc_stacks(id),
  allocs_between INTEGER NOT NULL,
  blocks INTEGER NOT NULL, bytes INTEGER NOT NULL,
  PRIMARY KEY(stack_id, allocs_between)
) WITHOUT ROWID;

CREATE TABLE block_groups( -- the most blocks of a place that one call allocated, and of a flow that one call freed
  id INTEGER PRIMARY KEY,
  stack_id INTEGER NOT NULL REFERENCES alloc_stacks(id), -- where allocated
  flow_id INTEGER REFERENCES block_flows(id), -- freed; NULL: allocated
  by_caller INTEGER NOT NULL, -- 0: a call of the function that did, 1: of its caller, where each call does a block
  blocks INTEGER NOT NULL,
  call_id INTEGER NOT NULL    -- the call with all that it called; of a recursion the outermost
);
CREATE TABLE block_flows( -- which function freed blocks of which allocating function
  id INTEGER PRIMARY KEY,
  stack_id INTEGER NOT NULL REFERENCES alloc_stacks(id), -- where allocated
  free_frame_id INTEGER,           -- where freed
  free_site_id INTEGER,
  alloc_thread_id INTEGER NOT NULL,
  free_thread_id INTEGER NOT NULL,
  blocks INTEGER NOT NULL, bytes INTEGER NOT NULL,
  residence_ns INTEGER NOT NULL,   -- sum of the times from allocation to free
  residence_max_ns INTEGER NOT NULL,
  mismatched INTEGER NOT NULL,     -- blocks freed by the wrong family (new and free, ...); not an own operator new's
  example_alloc_id INTEGER NOT NULL,
  example_mismatch_id INTEGER      -- allocs.id of a mismatched block
);

CREATE TABLE alloc_owners( -- the deepest context open at both allocation and free, same thread
  stack_id INTEGER NOT NULL REFERENCES alloc_stacks(id),
  owner_frame_id INTEGER NOT NULL REFERENCES frames(id),
  blocks INTEGER NOT NULL, bytes INTEGER NOT NULL,
  example_alloc_id INTEGER NOT NULL,
  PRIMARY KEY(stack_id, owner_frame_id)
) WITHOUT ROWID;

CREATE TABLE alloc_chains( -- blocks that were reallocated at least twice
  id INTEGER PRIMARY KEY,
  first_alloc_id INTEGER NOT NULL, -- allocs.id of the first and the last block of the chain
  last_alloc_id INTEGER NOT NULL,
  stack_id INTEGER NOT NULL REFERENCES alloc_stacks(id), -- where the last realloc was called
  length INTEGER NOT NULL,         -- reallocs
  moves INTEGER NOT NULL,          -- reallocs that gave another address
  copied_bytes INTEGER NOT NULL,   -- bytes that the moves had to copy (the smaller size of each)
  first_size INTEGER NOT NULL, last_size INTEGER NOT NULL
);

CREATE TABLE free_errors( -- frees that are wrong
  id INTEGER PRIMARY KEY,
  error TEXT NOT NULL,             -- 'double' (freed before, not allocated since), 'inside' (of a
                                   -- live block), 'unknown' (never seen as a block)
  address INTEGER NOT NULL,
  kind TEXT NOT NULL,              -- 'free', 'delete', 'realloc', ...
  ns INTEGER NOT NULL,
  thread_id INTEGER NOT NULL, call_id INTEGER, frame_id INTEGER, site_id INTEGER,
  alloc_id INTEGER                 -- the block freed before, or that the address lies in
);

CREATE TABLE memory_steps( -- live memory over time, up to 1000 equal steps, all threads and each
  step INTEGER NOT NULL,           -- from 0
  thread_id INTEGER NOT NULL,      -- thread that allocated, 0 = all threads together
  end_ns INTEGER NOT NULL,         -- end of the step
  live_bytes INTEGER NOT NULL, live_blocks INTEGER NOT NULL, -- at the end of the step
  max_live_bytes INTEGER NOT NULL, -- the most in the step (for thread_id 0; else as live_bytes)
  allocs INTEGER NOT NULL, alloc_bytes INTEGER NOT NULL, -- in the step
  frees INTEGER NOT NULL, free_bytes INTEGER NOT NULL,
  PRIMARY KEY(thread_id, step)     -- a thread's steps without any change are left out
) WITHOUT ROWID;

CREATE TABLE notes( -- what the program said at a point of a thread's timeline
  id INTEGER PRIMARY KEY,
  thread_id INTEGER NOT NULL, call_id INTEGER, ns INTEGER NOT NULL,
  text TEXT NOT NULL,      -- the message; of the others their label, names and values in one line
  kind TEXT NOT NULL DEFAULT 'note', -- 'note' (fisql_note); of fisql_trace.h 'checkpoint', 'message', 'value', 'result'
  level INTEGER,           -- of the macro, 1 to 5; NULL of a note, as what follows
  label TEXT,              -- of a checkpoint
  file TEXT, line INTEGER  -- of the macro, as the compiler had them
);

CREATE TABLE incidents( -- where the program went wrong: a signal that ends it, a failed assert(), abort() ...
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,      -- 'signal', 'assert', 'abort', 'terminate', 'stack-smashed', 'library-abort' (the C
                           -- library found damage), 'double-free' (a block is about to be freed again),
                           -- 'deadlock' (at the process's end; of the wait that closed it), 'stacks' (FISQL_STACKS)
  signal INTEGER,          -- number of the signal that came, NULL = none
  message TEXT NOT NULL,   -- what it was, in words
  thread_id INTEGER NOT NULL REFERENCES threads(id),
  call_id INTEGER,         -- the innermost call that was open, NULL outside any; its stack and those of the
                           -- process's other threads are in incident_stacks
  frame_id INTEGER,        -- its context
  site_id INTEGER,         -- the place in the code: where it happened in a library, the call of that
  left_call_id INTEGER,    -- the call that had just ended, where its return went astray: its stack was smashed
  address INTEGER,         -- that could not be reached, or was freed, NULL where it is not about one; from 2^63 on
                           -- negative
  block_id INTEGER,        -- allocs.id of the block that the address lies in, or near to; or else of one that was
                           -- freed, and that a register or a variable still points into; NULL = none
  block_offset INTEGER,    -- the address or that pointer less the block's: below 0 before it, from its size on behind it
  ns INTEGER NOT NULL
);

CREATE TABLE incident_stacks( -- the calls that were open then, in all threads of the process
  incident_id INTEGER NOT NULL REFERENCES incidents(id),
  thread_id INTEGER NOT NULL REFERENCES threads(id),
  depth INTEGER NOT NULL,  -- 0 for the outermost
  call_id INTEGER NOT NULL,
  PRIMARY KEY(incident_id, thread_id, depth)
) WITHOUT ROWID;

CREATE TABLE note_values( -- the values of a checkpoint, of FISQL_VALUE and FISQL_RESULT
  note_id INTEGER NOT NULL, -- notes.id
  position INTEGER NOT NULL, -- from 1
  name TEXT,               -- the expression as the source has it, NULL = not known
  value,                   -- INTEGER, REAL or TEXT as in call_values; NULL = there was no room for it in the log
  PRIMARY KEY(note_id, position)
) WITHOUT ROWID;

CREATE TABLE fault_rules( -- what record --fault asked for
  id INTEGER PRIMARY KEY,  -- from 1, in the order in which they were given
  rule TEXT NOT NULL,      -- as it was given
  target TEXT NOT NULL,    -- the function, or a pattern, that it names
  action TEXT NOT NULL,    -- what is done: 'return 0 errno ENOMEM'
  reached INTEGER,         -- calls that met its conditions (nth, every and probability aside), and
  struck INTEGER           -- how many of them were made to fail; NULL where the recording did not end
);

CREATE TABLE faults( -- calls that were made to fail (record --fault)
  id INTEGER PRIMARY KEY,
  rule_id INTEGER NOT NULL, -- fault_rules.id
  thread_id INTEGER NOT NULL REFERENCES threads(id),
  call_id INTEGER,         -- the innermost call: of a function with hooks the one that failed, of malloc, read
                           -- and the like the one that called it; NULL = none
  frame_id INTEGER,        -- its context
  site_id INTEGER,         -- where the call that failed was made
  ns INTEGER NOT NULL
);

-- Locks (fisql record --locks). call_id and frame_id are of the innermost call then, NULL outside any; of holders
-- they are NULL, too, where there are no rows of calls (load --calls=none) or the call was not recorded. site_id is
-- where the function was called that took the lock, waited or the like. Modes: 'read' with others, 'write' alone.

CREATE TABLE locks( -- locks, and whatever else threads waited for
  id INTEGER PRIMARY KEY,
  process_id INTEGER NOT NULL REFERENCES processes(id),
  kind TEXT NOT NULL,      -- 'mutex', 'recursive mutex', 'rwlock', 'spin lock', 'user lock' (FISQL_LOCKED), 'condition',
                           -- 'semaphore', 'barrier', 'thread' (joined), 'once', 'unknown' (the log lacks what it is)
  address INTEGER NOT NULL, -- in memory; a lock made where another was destroyed, or freed, has a row of its own
  variable TEXT,           -- that it is, or lies in: 'stat_lock', 'cache.lock', 'stripes[3]', without debug information
                           -- 'cache+8'; NULL = none, it lies on the heap or a stack
  made INTEGER NOT NULL,   -- 1 = site_id is where it was made (pthread_mutex_init), 0 = where it was used first
  site_id INTEGER REFERENCES sites(id),
  thread_id INTEGER,       -- that used it first,
  frame_id INTEGER,        -- there,
  first_ns INTEGER,        -- and then; NULL where it is unknown
  ended_ns INTEGER,        -- when it was destroyed or its memory freed, NULL = neither
  ended_site_id INTEGER
);

CREATE TABLE lock_waits( -- waits for a lock, a condition, a thread ...; with --locks=all acquisitions without a wait, too
  id INTEGER PRIMARY KEY,
  lock_id INTEGER NOT NULL REFERENCES locks(id),
  thread_id INTEGER NOT NULL REFERENCES threads(id), -- the waiting thread
  call_id INTEGER, frame_id INTEGER, site_id INTEGER,
  mode TEXT NOT NULL,      -- 'read', 'write'
  start_ns INTEGER NOT NULL,
  wait_ns INTEGER NOT NULL, -- where it did not end: up to the end of the process, or of its log if that is not known, or
                           -- of the thread if that ended before; 0 = it was free (--locks=all)
  ended TEXT NOT NULL,     -- 'taken', 'given up' (timed out, cancelled, an error), 'open' (it did not end)
  mutex_id INTEGER,        -- of a condition: locks.id of the mutex. Waiting for it again is part of the wait
  held_by_thread_id INTEGER, -- the holder when the wait began, NULL = not known; of a thread: itself,
  held_by_call_id INTEGER, held_by_frame_id INTEGER, held_by_site_id INTEGER, -- and where it took it
  deadlock INTEGER         -- number of the deadlock that it is part of at the end, from 1: its threads wait for each
                           -- other; NULL = none
);
CREATE INDEX lock_waits_lock ON lock_waits(lock_id);

CREATE TABLE lock_holds( -- how often and how long locks were held, by thread. After a crash up to a second is missing
  lock_id INTEGER NOT NULL REFERENCES locks(id),
  thread_id INTEGER NOT NULL,  -- 0 = not known
  times INTEGER NOT NULL,      -- acquisitions that ended; nested ones of a recursive lock count once
  hold_ns INTEGER NOT NULL,    -- the sum,
  longest_ns INTEGER NOT NULL, -- and the longest,
  longest_call_id INTEGER, longest_frame_id INTEGER, longest_site_id INTEGER, -- which began here
  failed INTEGER NOT NULL,     -- tries that found it taken (trylock)
  PRIMARY KEY(lock_id, thread_id)
) WITHOUT ROWID;

CREATE TABLE lock_orders( -- a lock was wanted while another one was held: by two locks, thread and what else was held
  id INTEGER PRIMARY KEY,
  first_lock_id INTEGER NOT NULL REFERENCES locks(id),  -- held
  second_lock_id INTEGER NOT NULL REFERENCES locks(id), -- wanted
  thread_id INTEGER NOT NULL,
  first_mode TEXT NOT NULL, second_mode TEXT NOT NULL,
  times INTEGER NOT NULL,
  ns INTEGER NOT NULL,     -- the first time; what follows is of that
  first_call_id INTEGER, first_frame_id INTEGER, first_site_id INTEGER, -- where the first was taken,
  call_id INTEGER, frame_id INTEGER, site_id INTEGER, -- and where the second was wanted
  guards TEXT NOT NULL,    -- locks.id of other locks that were held then, separated by spaces; r before it: to read
  cycle INTEGER            -- lock_cycles.cycle of one that it lies on, NULL = none
);

CREATE TABLE lock_cycles( -- orders that contradict one another: a deadlock, if threads meet. Of each pair or ring one
  cycle INTEGER NOT NULL,  -- from 1
  position INTEGER NOT NULL, -- from 0, along the ring: what one order wants the next one holds
  order_id INTEGER NOT NULL REFERENCES lock_orders(id),
  by_place INTEGER NOT NULL, -- 0: of the very locks; 1: of locks that were made at one place, by their places
  PRIMARY KEY(cycle, position)
) WITHOUT ROWID;

CREATE TABLE lock_misuses( -- what programs must not do with locks
  id INTEGER PRIMARY KEY,
  misuse TEXT NOT NULL,    -- in words
  lock_id INTEGER NOT NULL REFERENCES locks(id),
  thread_id INTEGER NOT NULL, call_id INTEGER, frame_id INTEGER, site_id INTEGER, ns INTEGER NOT NULL,
  -- the thread that held the lock, or destroyed it, and where; NULL = none, or not known
  other_thread_id INTEGER, other_call_id INTEGER, other_frame_id INTEGER, other_site_id INTEGER,
  mutex_id INTEGER         -- of a condition: a mutex that threads wait with
);

-- A campaign (fisql faults). Its database is that of the run without faults, and these tables say what became of
-- the program where one call failed. They are empty in the database of any other run.
CREATE TABLE campaign( -- what a campaign was asked for
  key TEXT PRIMARY KEY,    -- calls, per, folder, input, ...; word 0, word 1, ...: the program and its arguments
  value
) WITHOUT ROWID;

CREATE TABLE experiments( -- one row for each run in which one call is made to fail
  id INTEGER PRIMARY KEY,  -- in the order in which they are run
  target TEXT NOT NULL,    -- the call that fails: malloc, open, ...
  rule TEXT NOT NULL,      -- as fisql record --fault takes it
  frame_id INTEGER NOT NULL REFERENCES frames(id), -- context that makes the call
  site_id INTEGER REFERENCES sites(id), -- where it makes it
  call_id INTEGER NOT NULL,-- calls.id of the innermost call then, in the run without faults
  thread_id INTEGER NOT NULL REFERENCES threads(id), -- which thread made it there
  calls INTEGER NOT NULL,  -- how many calls were made so there; the first of them fails, or with --per call this one
  outcome TEXT,            -- 'crash', 'hang', 'bad free', 'leak', 'wrong output', 'other status', 'not reached',
                           -- 'clean error', 'unchanged'; NULL = it was not run yet
  injected TEXT,           -- what was done: 'return 0 errno ENOMEM'
  signal INTEGER,          -- number of the signal that ended the program, or a process of it
  status INTEGER,          -- exit status, where it exited
  leaked_bytes INTEGER,    -- not freed, beyond what the run without faults leaves; NULL = not known: calls were
                           -- open at the end, or the recording is not complete
  found_at TEXT,           -- stack of the crash, the hang, the wrong free or the leak's largest part
  found_location TEXT,     -- FILE:LINE of it, as far as that is known
  detail TEXT,             -- which output differs, and the like
  elapsed_ns INTEGER,      -- from the program's start to its end
  log TEXT                 -- its log, for `fisql load`; NULL = not kept
);

CREATE TABLE experiment_functions( -- functions that ran in an experiment, and not in the run without faults
  experiment_id INTEGER NOT NULL REFERENCES experiments(id),
  function_id INTEGER NOT NULL REFERENCES functions(id),
  calls INTEGER NOT NULL,
  PRIMARY KEY(experiment_id, function_id)
) WITHOUT ROWID;

CREATE TABLE objects( -- what the program said by FISQL_KEEP, FISQL_REF and their relatives: a row for each life
                      -- of an object. FISQL_REF with a count of 0 after FISQL_GONE begins another one
  id INTEGER PRIMARY KEY,
  process_id INTEGER NOT NULL REFERENCES processes(id),
  address INTEGER NOT NULL,
  first_ns INTEGER NOT NULL, last_ns INTEGER NOT NULL, -- the first and the last record of it
  gone_ns INTEGER,            -- FISQL_GONE; NULL = it was not said
  refs INTEGER NOT NULL, unrefs INTEGER NOT NULL,
  held INTEGER NOT NULL,      -- references at the end that were not given back; 0 where it is gone
  first_diary_id INTEGER, last_diary_id INTEGER, -- its rows of diaries; NULL = none
  first_ref_id INTEGER, last_ref_id INTEGER      -- its rows of object_references
);

CREATE TABLE diaries( -- moments of objects that the program kept (FISQL_KEEP) or printed (FISQL_TELL), by object, then
                      -- by time
  id INTEGER PRIMARY KEY,
  object_id INTEGER NOT NULL REFERENCES objects(id),
  kind TEXT NOT NULL,      -- 'keep', 'tell'
  state,                   -- TEXT or INTEGER, as the program gave it; of 'tell' NULL
  thread_id INTEGER NOT NULL REFERENCES threads(id),
  call_id INTEGER,         -- the innermost call then, NULL = none
  frame_id INTEGER,        -- its context
  site_id INTEGER,         -- where it was said
  ns INTEGER NOT NULL
);

CREATE TABLE object_references( -- FISQL_REF, FISQL_UNREF and FISQL_GONE, by object, then by time
  id INTEGER PRIMARY KEY,
  object_id INTEGER NOT NULL REFERENCES objects(id),
  kind TEXT NOT NULL,      -- 'ref', 'unref', 'gone'
  count INTEGER,           -- as the program gave it: before the change; of 'gone' NULL
  thread_id INTEGER NOT NULL REFERENCES threads(id),
  call_id INTEGER, frame_id INTEGER, site_id INTEGER, ns INTEGER NOT NULL, -- as in diaries
  problem TEXT,            -- 'given back too often' (a count of 0 or less), 'ref after gone', 'unref after gone',
                           -- 'gone twice', 'gone while held'; NULL = none. A record that comes after 'gone' only because its
                           -- thread was put aside, as the counts show, is none
  before_id INTEGER        -- of a problem: the row that it is one after, NULL = none
);

CREATE TABLE anomalies( -- what should not happen in a sound program
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,      -- 'mismatched-exit', 'unwound', 'impossible' (an event the log's rules forbid)
  thread_id INTEGER NOT NULL,
  ns INTEGER NOT NULL,
  call_id INTEGER,         -- innermost call open then (after it for 'unwound'), NULL = none
  function_id INTEGER,     -- the exit's function; for 'unwound' the outermost call unwound
  site_id INTEGER,
  calls INTEGER,           -- for 'unwound': how many calls ended
  detail TEXT
);

CREATE TABLE cut_calls( -- calls that were open where a flight recorder (record --ring) dropped what came
                        -- before, or where a log takes up an earlier one (record --rotate): their
                        -- time before that is in no function's own time, because
                        -- its callees are not known; children_ns holds it
  call_id INTEGER PRIMARY KEY,     -- calls.id
  function_id INTEGER NOT NULL REFERENCES functions(id),
  frame_id INTEGER NOT NULL REFERENCES frames(id)
);

CREATE TABLE parameters( -- results and parameters of the functions of which values were recorded
  id INTEGER PRIMARY KEY,
  function_id INTEGER NOT NULL REFERENCES functions(id),
  position INTEGER NOT NULL, -- 0 = the result, 1 to 30 = the parameters, then expressions; `this` is the first;
                           -- 31 = errno as a call that returned -1 or NULL left it, where it
                           -- was not 0: a leftover of an earlier call, perhaps
  name TEXT,               -- NULL = it has none, or it is not known
  type TEXT,               -- in the source's words, NULL = not known
  kind TEXT,               -- 'signed', 'unsigned', 'bool', 'char', 'enum', 'float', 'pointer' (to data),
                           -- 'function' (a pointer to one), 'text', 'struct', 'hex', 'octal' (--value's formats:
                           -- the value is that of the integer's bits, without a sign), NULL = not known
  enum_id INTEGER,         -- enumerators.enum_id where kind = 'enum'
  flags INTEGER NOT NULL DEFAULT 0, -- 1 = its enumerators are flags, to be joined by a bar
  expression INTEGER NOT NULL DEFAULT 0, -- 1 = no parameter, but an expression on them (fisql record --value),
                           -- whose text is the name; these come behind the parameters
  at_exit INTEGER NOT NULL DEFAULT 0, -- 1 = of an expression: its value is that at the call's end; 2 = of calls that changed it
  UNIQUE(function_id, position)
);

CREATE TABLE enumerators( -- names of the values of enumerations
  enum_id INTEGER NOT NULL,
  number INTEGER NOT NULL, -- from 0, in the order of the declaration
  value INTEGER NOT NULL,
  name TEXT NOT NULL,
  mask INTEGER,            -- of flags: the name applies where these bits are `value`; NULL = it is no flag
                           -- of its own, but others' sum
  PRIMARY KEY(enum_id, number)
) WITHOUT ROWID;

CREATE TABLE call_values( -- arguments and results; those of call c are id BETWEEN 32 * c AND 32 * c + 31
  id INTEGER PRIMARY KEY,  -- 32 * call_id + position
  call_id INTEGER AS (id / 32) VIRTUAL,  -- calls.id
  position INTEGER AS (id % 32) VIRTUAL, -- parameters.position of the call's function
  value                    -- INTEGER, REAL or TEXT: see above
);

CREATE TABLE block_places( -- blocks by where they lay: what call_blocks looks pointers up in. Filled where there are
                          -- parameters or results that are pointers; without the blocks of processes of which
                          -- the log lacks frees or allocations
  process_id INTEGER NOT NULL, -- processes.id
  level INTEGER NOT NULL,      -- bits of the block's size: below 2^level, and not below half of that
  address INTEGER NOT NULL, alloc_ns INTEGER NOT NULL, alloc_id INTEGER NOT NULL, -- as allocs has them
  PRIMARY KEY(process_id, level, address, alloc_ns, alloc_id)
) WITHOUT ROWID;

CREATE TABLE valued_calls( -- the calls of which values were recorded, by function: of function f those that are
                           -- id BETWEEN f << 38 AND (f + 1 << 38) - 1. Functions with more than 16384 of them
                           -- are left out (parameter_stats.listed = 0)
  id INTEGER PRIMARY KEY,  -- function_id * 2^38 + call_id
  function_id INTEGER AS (id >> 38) VIRTUAL, -- functions.id
  call_id INTEGER AS (id & 0x3fffffffff) VIRTUAL -- calls.id
);

CREATE TABLE parameter_stats( -- one row for each row of parameters
  parameter_id INTEGER PRIMARY KEY REFERENCES parameters(id),
  listed INTEGER NOT NULL,     -- 1 = valued_calls has all calls of the function with values
  calls INTEGER NOT NULL,      -- calls whose value is known: rows of call_values
  absent INTEGER NOT NULL,     -- calls where the code did not say where it lay,
  unreadable INTEGER NOT NULL, -- where it was to be read at an address that cannot be read,
  no_room INTEGER NOT NULL,    -- and where there was no room for it in the log
  cut INTEGER NOT NULL,        -- calls with a text of which only the first bytes are known
  cpu_ns INTEGER NOT NULL,     -- sum of the CPU durations of those of `calls` that finished
  distinct_values INTEGER NOT NULL, -- distinct values; where counted = 0, at least so many
  counted INTEGER NOT NULL,    -- 1 = each value was counted, and every error in value_counts is 0
  other_calls INTEGER NOT NULL,-- calls that are in no row of value_counts, and their time
  other_cpu_ns INTEGER NOT NULL,
  min_value, max_value,        -- least and greatest number, NULL = there was none
  positive_sum INTEGER,        -- sum of the integers above 0, NULL = there was no integer
  text_bytes_max INTEGER       -- bytes of the longest text, as far as it was recorded, NULL = there was none
);

CREATE TABLE value_counts( -- the commonest values of a parameter or result, 64 at most. Where there are more,
                           -- Space-Saving finds them (Metwally, Agrawal, El Abbadi 2005)
  parameter_id INTEGER NOT NULL REFERENCES parameters(id),
  rank INTEGER NOT NULL,       -- 1 = the commonest
  value,                       -- as in call_values
  calls INTEGER NOT NULL,      -- calls with it: these for sure,
  error INTEGER NOT NULL,      -- and no more than so many others. What follows is of the former
  cpu_ns INTEGER NOT NULL,     -- sum of the CPU durations of those that finished
  max_ns INTEGER NOT NULL,     -- CPU duration of the slowest of these
  slowest_call_id INTEGER,     -- calls.id of that one, NULL = none finished
  first_call_id INTEGER NOT NULL, -- calls.id of the one with the least id
  PRIMARY KEY(parameter_id, rank)
) WITHOUT ROWID;

CREATE TABLE value_costs( -- what finished calls cost by an integer argument: a row for each value where there are
                          -- up to 64, else for each eighth of a power of two (16 to 17, 18 to 19, ... 32 to 35 ...)
  parameter_id INTEGER NOT NULL REFERENCES parameters(id),
  low INTEGER NOT NULL,        -- values low .. high
  high INTEGER NOT NULL,
  calls INTEGER NOT NULL,      -- finished calls with such a value
  mean_value REAL NOT NULL,    -- mean of their values
  descendants INTEGER NOT NULL,-- calls made within them, at any depth: the sum,
  descendants_max INTEGER NOT NULL, -- and the most
  cpu_ns INTEGER NOT NULL,     -- sum of their CPU durations
  max_ns INTEGER NOT NULL,     -- CPU duration of the slowest
  slowest_call_id INTEGER NOT NULL, -- calls.id of that one
  PRIMARY KEY(parameter_id, low)
) WITHOUT ROWID;

CREATE TABLE argument_repeats( -- calls with the same arguments as an earlier call of the function in the thread,
                               -- of functions with parameters: sums over threads, each by itself
  function_id INTEGER PRIMARY KEY REFERENCES functions(id),
  calls INTEGER NOT NULL,      -- ended calls all of whose arguments are known, no text being cut
  unknown_calls INTEGER NOT NULL, -- other ended calls with values; what follows leaves them out
  sampled INTEGER NOT NULL,    -- 1 = what follows is exact; n = estimated from one of n sets of arguments (adaptive
                               -- sampling: Wegman 1984, Flajolet 1990)
  tuples INTEGER NOT NULL,     -- distinct sets of arguments
  repeated_calls INTEGER NOT NULL, -- calls with arguments that an earlier call had
  same_calls INTEGER NOT NULL, -- of these, those that returned the same as the earlier one
  different_calls INTEGER NOT NULL, -- and those that returned something else; of the rest one result is not known
  saved_calls INTEGER NOT NULL,-- calls made within the same_calls that lie in no other repeated call of the
                               -- function: what a cache of results would save,
  saved_ns INTEGER NOT NULL,   -- and the CPU time of these same_calls
  commonest_calls INTEGER NOT NULL, -- calls with the commonest arguments (of those in the sample)
  example_call_id INTEGER      -- calls.id of the first one with these, NULL = there is none
);

CREATE TABLE result_flows( -- results of calls by their class, and what their callers returned then
  function_id INTEGER NOT NULL REFERENCES functions(id),
  class TEXT NOT NULL,         -- of the result: 'negative', 'zero', 'positive', 'null', 'pointer', 'false', 'true', 'other'
  caller_id INTEGER NOT NULL,  -- functions.id of the caller, 0 = none
  caller_class TEXT NOT NULL,  -- the same of the caller's result; 'none' = it gave none, or it is not known
  calls INTEGER NOT NULL,      -- calls with a known result
  same_calls INTEGER NOT NULL, -- of these, those whose caller returned the same value
  first_call_id INTEGER NOT NULL, -- calls.id of the one with the least id
  PRIMARY KEY(function_id, class, caller_id, caller_class)
) WITHOUT ROWID;

CREATE TABLE losses( -- what the log or the database lacks
  id INTEGER PRIMARY KEY,
  reason TEXT NOT NULL,    -- 'damaged', 'truncated', 'missing chunk', 'disk full', 'killed', ...
  process_id INTEGER, thread_id INTEGER, -- NULL = not known
  offset INTEGER,          -- in the log, NULL = not known
  bytes INTEGER, chunks INTEGER, calls INTEGER, events INTEGER, -- how much (events: of memory), NULL = not known
  from_ns INTEGER, to_ns INTEGER, -- when, NULL = not known
  detail TEXT              -- in words
);

CREATE TABLE recording_changes( -- what was changed of the recording while it ran: fisql control, SIGUSR2, fisql_start()
  id INTEGER PRIMARY KEY,
  process_id INTEGER,      -- which process, NULL = all
  at_ns INTEGER NOT NULL,  -- when it was asked for; threads follow at their next looks
  what TEXT NOT NULL,      -- 'start', 'stop', 'only', 'exclude', 'depth', 'level', 'threads'; 'more': changes without a row;
                           -- 'budget': from then on record --budget left a function out; 'counted': it counted its calls
  detail TEXT              -- the patterns of only, exclude and threads, the number of depth, level and more, the function's name
);

-- Views: the stable face of the database.

CREATE VIEW last_images AS -- process images that no other took the place of, by exec: each process once
  SELECT p.* FROM processes p
  WHERE NOT EXISTS (SELECT 1 FROM processes n WHERE n.parent_id = p.id AND n.origin = 'exec');

CREATE VIEW recording_limits AS -- from when to when something was left out, by recording_changes
  WITH c AS (SELECT *, CASE WHEN what IN ('start', 'stop') THEN 'switch' WHEN what IN ('only', 'exclude') THEN 'filter'
                       ELSE what END AS kind FROM recording_changes WHERE what <> 'more'),
  l AS (SELECT c.process_id, c.at_ns AS from_ns, c.what, c.detail, c.id,
               -- a process ends alone what was asked of all where there is no other
               (SELECT min(n.at_ns) FROM c n WHERE n.kind = c.kind AND (n.at_ns, n.id) > (c.at_ns, c.id)
                 AND (n.process_id IS NULL OR n.process_id IS c.process_id
                      OR c.process_id IS NULL AND (SELECT count(*) FROM last_images) = 1)) AS to_ns
        FROM c WHERE c.what IN ('stop', 'exclude') OR c.what IN ('only', 'threads') AND c.detail IS NOT '''*'''
               OR c.what = 'depth' AND c.detail IS NOT '0' OR c.what = 'level' AND c.detail IS NOT '5'),
  b AS (SELECT id, at_ns, what, detail, row_number() OVER (PARTITION BY at_ns, what ORDER BY id) AS place
        FROM c WHERE what IN ('budget', 'counted')),
  rounds AS (SELECT at_ns, what, min(id) AS id, group_concat(detail, ', ') FILTER (WHERE place <= 8)
                    || CASE WHEN count(*) > 8 THEN printf(' and %d more', count(*) - 8) ELSE '' END AS names
             FROM (SELECT * FROM b ORDER BY at_ns, place) GROUP BY at_ns, what)
  SELECT from_ns, to_ns, process_id, what, detail, text FROM (
  SELECT l.from_ns,
         l.to_ns,          -- NULL = to the end
         l.process_id,     -- NULL = of all
         l.what, l.detail,
         printf('from %.3f s to %s%s: ', l.from_ns / 1e9, CASE WHEN l.to_ns IS NULL THEN 'the end' ELSE printf('%.3f s', l.to_ns / 1e9) END,
                coalesce(' in process ' || p.pid, ''))
         || CASE l.what WHEN 'stop' THEN 'it was off' WHEN 'depth' THEN 'calls deeper than ' || l.detail || ' were counted'
              WHEN 'level' THEN 'only macros up to level ' || l.detail
              WHEN 'threads' THEN 'only threads ' || coalesce(l.detail, '?')
              ELSE CASE l.what WHEN 'only' THEN 'only ' ELSE 'without ' END || coalesce(l.detail, '?') END
         AS text,          -- all of it in words
         l.id
  FROM l LEFT JOIN processes p ON p.id = l.process_id
  UNION ALL
  SELECT at_ns, NULL, NULL, what, names,
         printf('from %.3f s to the end: %s %s (--budget)', at_ns / 1e9,
                CASE what WHEN 'counted' THEN 'counts alone of' ELSE 'without' END, names), id
  FROM rounds)
  ORDER BY from_ns, id;

CREATE VIEW function_details AS -- functions with names in place of ids
  SELECT f.id, f.name, coalesce(files.name || ':' || f.line, files.name, m.name, '?') AS location,
         files.path AS file, f.line, coalesce(u.name, m.name) AS module, f.size, f.instrumented, f.linkage_name,
         f.module_id, f.file_id, coalesce(f.full_name, f.name) AS full_name,
         m.name AS library -- the program or library, which `module` is, too, where no map names another
  FROM functions f LEFT JOIN files ON files.id = f.file_id LEFT JOIN modules m ON m.id = f.module_id
       LEFT JOIN mapped_functions u ON u.function_id = f.id;

CREATE VIEW context_roles AS -- contexts that run once, or a few times, before or after the bulk of the work
  -- A life is a whole run of the program or of its threads, and the one call in it that takes half of its processor time and more, and
  -- so on. Its bulk is what it calls many times, if that takes a fifth of it, else that one call. What it calls once
  -- before the bulk is an initializer, after it a finalizer. Recursion's calls share contexts: they end a life
  WITH RECURSIVE
       roots AS MATERIALIZED (
         SELECT fr.id, fr.calls, fr.raw_total_ns, fr.cpu_ns AS cost_ns, fr.first_ns, fr.last_ns,
                row_number() OVER (ORDER BY fr.calls = 1 DESC, fr.cpu_ns DESC, fr.id) AS place
         FROM frames fr WHERE fr.parent_id IS NULL),
       spine(id, calls, cost_ns, level) AS (
         SELECT id, calls, cost_ns, 0 FROM roots WHERE NOT EXISTS (
           SELECT 1 FROM function_stats s JOIN frames fr ON fr.function_id = s.function_id
           WHERE fr.id = roots.id AND s.recursive_calls > 0)
         UNION ALL
         SELECT fr.id, fr.calls, fr.cpu_ns, spine.level + 1
         FROM spine CROSS JOIN frames fr JOIN function_stats s ON s.function_id = fr.function_id
         WHERE fr.id = (SELECT k.id FROM frames k WHERE k.parent_id = spine.id
                        ORDER BY k.cpu_ns DESC, k.id LIMIT 1)
           AND fr.id > spine.id AND fr.calls = spine.calls AND s.recursive_calls = 0 AND spine.level < 100
           AND 2 * fr.cpu_ns >= spine.cost_ns
           AND 5 * (SELECT total(k.cpu_ns) FROM frames k
                    WHERE k.parent_id = spine.id AND k.calls > 3 * spine.calls) < spine.cost_ns),
       bulk AS MATERIALIZED ( -- of each life: when it begins, and when its last call does
         SELECT spine.id, spine.calls, spine.cost_ns, many.first_ns IS NOT NULL AS many,
                coalesce(many.first_ns, one.first_ns) AS first_ns, coalesce(many.last_ns, one.last_ns) AS last_ns,
                one.function_id
         FROM spine
              LEFT JOIN (SELECT k.parent_id, min(k.first_ns) AS first_ns, max(k.last_ns) AS last_ns
                         FROM spine CROSS JOIN frames k ON k.parent_id = spine.id
                         WHERE k.calls > 3 * spine.calls AND 20 * k.cpu_ns >= spine.cost_ns
                         GROUP BY k.parent_id
                         HAVING 5 * sum(k.cpu_ns) >= max(spine.cost_ns)) many ON many.parent_id = spine.id
              LEFT JOIN (SELECT k.parent_id, k.first_ns, k.last_ns, k.function_id FROM spine next CROSS JOIN frames k ON k.id = next.id) one
                ON one.parent_id = spine.id),
       lives AS (
         SELECT bulk.*, fr.calls > 1 OR fr.parent_id IS NULL AND fr.id <> (SELECT id FROM roots WHERE place = 1) AS threads
         FROM bulk JOIN frames fr ON fr.id = bulk.id WHERE bulk.first_ns IS NOT NULL)
  SELECT fr.id AS frame_id, fr.function_id, CASE WHEN fr.first_ns < l.first_ns THEN 'initializer' ELSE 'finalizer' END AS role,
         CASE WHEN l.threads THEN 'thread' ELSE 'run' END AS life,
         (fr.first_ns > l.first_ns OR NOT l.many) AND 5 * fr.cpu_ns > l.cost_ns AS heavy -- may be work
  FROM lives l CROSS JOIN frames fr ON fr.parent_id = l.id
  WHERE CASE WHEN l.calls = 1 THEN fr.calls <= 3 AND (fr.last_ns < l.first_ns OR fr.first_ns > l.last_ns)
             ELSE fr.calls <= l.calls AND (fr.first_ns < l.first_ns OR fr.first_ns > l.first_ns AND fr.last_ns > l.last_ns) END
    AND fr.function_id IS NOT l.function_id
    AND NOT EXISTS (SELECT 1 FROM frames k WHERE k.parent_id = l.id AND k.function_id = fr.function_id AND k.calls > 3 * l.calls)
  UNION ALL -- static objects' constructors and destructors, and what atexit() has
  SELECT fr.id, fr.function_id, CASE WHEN fr.last_ns < main.first_ns THEN 'initializer' ELSE 'finalizer' END, 'run',
         5 * fr.cpu_ns > main.cost_ns
  FROM roots main CROSS JOIN frames fr
  WHERE main.place = 1 AND main.calls = 1 AND fr.parent_id IS NULL AND fr.calls <= 3 AND fr.id <> main.id
    AND (fr.last_ns < main.first_ns OR fr.first_ns >= main.first_ns + main.raw_total_ns);

CREATE VIEW object_roles AS -- functions that make objects, and those that alone free them: ten blocks and more, nine tenths of them freed so
  WITH made AS MATERIALIZED (
         SELECT p.function_id, sum(a.blocks) AS blocks, sum(a.freed_blocks) AS freed
         FROM alloc_places p JOIN alloc_stacks a ON a.id = p.stack_id WHERE NOT p.wrappers GROUP BY p.function_id),
       pairs AS MATERIALIZED (
         SELECT ap.function_id AS maker_id, fp.function_id AS freer_id, sum(b.blocks) AS blocks
         FROM block_flows b JOIN alloc_places ap ON ap.stack_id = b.stack_id AND NOT ap.wrappers
              JOIN free_places fp ON fp.flow_id = b.id AND NOT fp.wrappers
         GROUP BY 1, 2),
       lives AS MATERIALIZED (
         SELECT pairs.maker_id, pairs.freer_id, pairs.blocks
         FROM pairs JOIN made ON made.function_id = pairs.maker_id
              JOIN function_stats m ON m.function_id = pairs.maker_id JOIN function_stats z ON z.function_id = pairs.freer_id
         WHERE pairs.maker_id <> pairs.freer_id AND pairs.blocks >= 10 AND 10 * pairs.blocks >= 9 * made.blocks
           AND m.calls >= 10 AND m.total_frees = 0 AND m.total_allocs >= m.calls -- that is what they do
           AND z.calls >= 10 AND z.total_allocs = 0 AND 3 * z.total_frees >= z.calls
           AND NOT EXISTS (SELECT 1 FROM pairs o WHERE o.freer_id = pairs.maker_id))
  SELECT maker_id AS function_id, 'initializer' AS role, freer_id AS partner_id, blocks FROM lives
  UNION ALL
  SELECT freer_id, 'finalizer', maker_id, blocks FROM lives;

CREATE VIEW function_marks AS -- functions all of whose calls have one role
  WITH contexts AS (
    SELECT r.function_id, min(CASE r.life WHEN 'thread' THEN 'thread''s ' ELSE '' END || r.role) AS mark
    FROM context_roles r JOIN frames fr ON fr.id = r.frame_id JOIN function_stats s ON s.function_id = r.function_id
         JOIN functions f ON f.id = r.function_id
    WHERE NOT r.heavy AND NOT f.external GROUP BY r.function_id HAVING sum(fr.calls) = max(s.calls) AND min(r.role) = max(r.role))
  SELECT function_id, mark FROM contexts
  UNION ALL
  SELECT function_id, 'object''s ' || min(role) FROM object_roles
  WHERE function_id NOT IN (SELECT function_id FROM contexts) GROUP BY function_id;

CREATE VIEW site_details AS -- sites with names in place of ids
  SELECT s.id, coalesce(files.name || ':' || s.line, CASE WHEN f.own = 0 AND f.instrumented = 0 THEN 'in ' || f.name END,
                        m.name || printf('+0x%x', s.address), '?') AS location,
         f.name AS function, s.function_id, files.path AS file, s.line, coalesce(u.name, m.name) AS module, m.name AS library
  FROM sites s LEFT JOIN files ON files.id = s.file_id LEFT JOIN modules m ON m.id = s.module_id
       LEFT JOIN functions f ON f.id = s.function_id LEFT JOIN mapped_functions u ON u.function_id = s.function_id;

CREATE VIEW plain_modules AS -- modules recorded as they are, of optimised code: their calls are those of the plain build.
                             -- Without debug information (a distribution's program) code counts as optimised
  SELECT id FROM modules WHERE patched > 0 AND coalesce(optimized, 1);

CREATE VIEW tail_calls AS -- in modules recorded as they are: edges whose call is the jump that another function ends with. A direct call
                          -- has one target: of several callees from one place the first is it, and the others come through it
  SELECT id AS edge_id, caller_id, site_id, through_id, callee_id
  FROM (SELECT e.id, e.caller_id, e.site_id, e.callee_id,
               first_value(e.callee_id) OVER (PARTITION BY e.caller_id, e.site_id ORDER BY e.first_call_id, e.id) AS through_id
        FROM edges e JOIN sites s ON s.id = e.site_id
        WHERE e.caller_id IS NOT NULL AND NOT s.indirect AND s.module_id IN (SELECT id FROM modules WHERE patched > 0))
  WHERE callee_id <> through_id;

CREATE VIEW edge_details AS -- edges, with what shows whether a build without hooks has the call as well
  SELECT j.*,
         coalesce(j.compiler GLOB 'keeps it*', 0) AS kept -- 1 = optimisation at -O2 (not -flto) leaves it a call
  FROM (
  SELECT e.*, s.function_id AS site_function_id, s.indirect,
         -- the hooks of an inlined body give the call site of the function that it lies in
         EXISTS (SELECT 1 FROM edges o WHERE o.callee_id = e.caller_id AND o.site_id = e.site_id AND o.id <> e.id) AS inlined,
         s.module_id IS f.module_id AS same_module,
         -- what optimisation at -O2 (not -flto) makes of the call, and why. It is kept where the plain build was
         -- recorded. Elsewhere: of a function in another translation unit, or one that others may call and that
         -- has 250 bytes and more with the hooks, or one of 300 that has several call sites and was inlined at none
         CASE WHEN s.id IS NULL THEN NULL
              WHEN EXISTS (SELECT 1 FROM edges o WHERE o.callee_id = e.caller_id AND o.site_id = e.site_id AND o.id <> e.id)
              THEN 'inlines it: as in this build'
              WHEN s.indirect = 1 THEN 'cannot inline it: called through a pointer'
              WHEN s.module_id IS NOT f.module_id THEN 'cannot inline it: in another module'
              WHEN s.indirect = 0 AND f.module_id IN (SELECT id FROM plain_modules) THEN 'keeps it: as in this build'
              WHEN s.indirect IS NULL THEN NULL
              WHEN f.scope = 'global' AND f.unit <> sf.unit THEN 'keeps it: in another unit'
              WHEN f.scope = 'global' AND f.size >= 250 THEN 'keeps it: large'
              WHEN f.scope <> 'global' AND f.inlined = 0 AND f.size >= 300 AND
                   EXISTS (SELECT 1 FROM edges o WHERE o.callee_id = e.callee_id AND o.site_id <> e.site_id)
              THEN 'keeps it: large, with several call sites'
              ELSE 'may inline it' END AS compiler
  FROM edges e JOIN functions f ON f.id = e.callee_id LEFT JOIN sites s ON s.id = e.site_id
       LEFT JOIN functions sf ON sf.id = s.function_id) j;

CREATE VIEW fault_marks AS -- faults as they are shown in traces and timelines
  SELECT x.id, x.thread_id, x.call_id, x.ns,
         'fault: ' || coalesce(r.target || ': ' || r.action, 'of rule ' || x.rule_id) AS text
  FROM faults x LEFT JOIN fault_rules r ON r.id = x.rule_id;

CREATE VIEW incident_details AS -- incidents with names in place of ids, and what is known of the block, in words
  SELECT i.*, t.process_id, p.pid, t.tid, t.name AS thread, fn.name AS function, sd.location,
         lf.name AS left_function, ls.location AS left_called_from,
         CASE
           WHEN b.id IS NULL THEN NULL
           ELSE CASE WHEN i.address - i.block_offset IS NOT b.address THEN 'the function holds a pointer to ' ELSE '' END
                || CASE
                  WHEN i.block_offset < 0 THEN (-i.block_offset) || ' bytes before'
                  WHEN i.block_offset >= b.size THEN (i.block_offset - b.size) || ' bytes behind'
                  ELSE 'byte ' || i.block_offset || ' of' END
                || ' a block of ' || b.size || ' bytes'
                || CASE WHEN b.free_ns <= i.ns THEN ' that was freed' ELSE '' END END AS block,
         bs.location AS block_allocated, bf.name AS block_allocated_in,
         CASE WHEN b.free_ns <= i.ns THEN fs.location END AS block_freed,
         CASE WHEN b.free_ns <= i.ns THEN ff.name END AS block_freed_in
  FROM incidents i JOIN threads t ON t.id = i.thread_id JOIN processes p ON p.id = t.process_id
       LEFT JOIN frames fr ON fr.id = i.frame_id LEFT JOIN functions fn ON fn.id = fr.function_id
       LEFT JOIN site_details sd ON sd.id = i.site_id
       LEFT JOIN calls lc ON lc.id = i.left_call_id LEFT JOIN frames lfr ON lfr.id = lc.frame_id
       LEFT JOIN functions lf ON lf.id = lfr.function_id LEFT JOIN site_details ls ON ls.id = lfr.site_id
       LEFT JOIN allocs b ON b.id = i.block_id
       LEFT JOIN site_details bs ON bs.id = b.site_id
       LEFT JOIN frames bfr ON bfr.id = b.frame_id LEFT JOIN functions bf ON bf.id = bfr.function_id
       LEFT JOIN site_details fs ON fs.id = b.free_site_id
       LEFT JOIN frames ffr ON ffr.id = b.free_frame_id LEFT JOIN functions ff ON ff.id = ffr.function_id;

CREATE VIEW incident_frames AS -- incident_stacks with names: each open call, and where it was called from
  SELECT s.incident_id, s.thread_id, s.depth, s.call_id, f.name AS function, f.location, sd.location AS called_from,
         c.enter_ns, c.frame_id
  FROM incident_stacks s CROSS JOIN calls c ON c.id = s.call_id
       LEFT JOIN frames fr ON fr.id = c.frame_id LEFT JOIN function_details f ON f.id = fr.function_id
       LEFT JOIN site_details sd ON sd.id = fr.site_id;

CREATE VIEW lock_details AS -- locks with names: the variable, else kind, number, and where it was made or, of those that need no
                            -- making, used first
  SELECT l.*, coalesce(l.variable, l.kind || ' ' || l.id || coalesce(' (' || s.location || ')', '')) AS name, s.location
  FROM locks l LEFT JOIN site_details s ON s.id = l.site_id;

CREATE VIEW trace_marks AS -- what is shown between the calls of a trace: '!' faults, '*' notes, '=' pauses, '~' 100 us
                           -- and more in which the thread wrote its log
  SELECT thread_id, call_id, ns, 1 AS number, id, '!' AS mark, text FROM fault_marks
  UNION ALL SELECT thread_id, call_id, ns, 2, id, '*', text FROM notes
  UNION ALL SELECT thread_id, call_id, start_ns, 3, id, '=', printf('paused for %.3f us', paused_ns / 1e3) FROM pauses
  UNION ALL SELECT thread_id, call_id, start_ns, 4, id, '~', printf('recording, for %.1f ms', wall_ns / 1e6)
  FROM recording_gaps WHERE wall_ns >= 100000;

CREATE VIEW call_details AS -- calls with function, location, durations and ending in words
  SELECT c.id, c.parent_id, c.thread_id, c.frame_id, c.depth, fn.name AS function, fn.location,
         c.enter_ns,
         -- adjusted: without the hooks of the call and of those within it, and what its thread waited for the log
         max(coalesce((SELECT sum(g.wait_ns + g.preempted_ns) FROM gaps g
                       WHERE g.call_id BETWEEN c.id AND c.id + c.descendants), 0),
             c.duration_ns - coalesce(
               (SELECT h.inside_ps +
                       CASE WHEN c.id + c.descendants <= h.last_call_id THEN c.descendants * (h.inside_ps + h.outside_ps)
                       ELSE (SELECT sum((k.inside_ps + k.outside_ps) *
                                        (min(k.last_call_id, c.id + c.descendants) - max(k.first_call_id, c.id + 1) + 1))
                             FROM hook_costs k
                             WHERE k.first_call_id BETWEEN h.first_call_id AND c.id + c.descendants) END
                FROM hook_costs h WHERE h.first_call_id = (SELECT max(first_call_id) FROM hook_costs WHERE first_call_id <= c.id)
                                    AND h.last_call_id >= c.id), 0) / 1000) AS duration_ns,
         c.duration_ns AS raw_duration_ns, -- it lies from enter_ns to enter_ns + raw_duration_ns
         CASE WHEN EXISTS (SELECT 1 FROM cut_calls k WHERE k.call_id = c.id) THEN NULL ELSE c.self_ns END AS raw_self_ns,
         c.descendants,
         CASE c.ended WHEN 0 THEN 'returned' WHEN 1 THEN 'unwound' WHEN 2 THEN 'open' ELSE 'lost' END AS ended,
         fr.function_id, fr.site_id
  FROM calls c JOIN frames fr ON fr.id = c.frame_id JOIN function_details fn ON fn.id = fr.function_id;

CREATE VIEW call_arguments AS -- arguments, and results (position 0), of the calls of functions with recorded values;
                             -- value is NULL and text ? where one is not known
  SELECT c.id AS call_id, f.name AS function, p.name AS parameter, p.type, v.value, p.position, p.kind,
         CASE
           WHEN v.value IS NULL THEN '?'
           WHEN p.kind = 'text' AND typeof(v.value) = 'text' THEN
             CASE WHEN substr(v.value, -4) = '\...'
                  THEN '"' || replace(substr(v.value, 1, length(v.value) - 4), '"', '\"') || '"...'
                  ELSE '"' || replace(v.value, '"', '\"') || '"' END
           WHEN p.kind IN ('pointer', 'function', 'text') AND typeof(v.value) = 'integer' THEN
             CASE v.value WHEN 0 THEN 'NULL' ELSE printf('0x%x', v.value) END
           WHEN p.kind = 'hex' AND typeof(v.value) = 'integer' THEN printf('0x%x', v.value)
           WHEN p.kind = 'octal' AND typeof(v.value) = 'integer' THEN printf('%s%o', CASE v.value WHEN 0 THEN '' ELSE '0' END, v.value)
           WHEN p.kind = 'bool' AND v.value IN (0, 1) THEN CASE v.value WHEN 0 THEN 'false' ELSE 'true' END
           WHEN p.kind = 'char' AND v.value BETWEEN 32 AND 126 THEN v.value || ' ''' || char(v.value) || ''''
           WHEN p.kind = 'enum' THEN coalesce(
             (SELECT e.name FROM enumerators e
              WHERE e.enum_id = p.enum_id AND e.value = v.value
                    AND NOT EXISTS (SELECT 1 FROM enumerators z WHERE z.enum_id = p.enum_id AND p.flags
                                    AND z.value = 0 AND z.mask & v.value = 0 AND v.value <> 0) -- O_RDONLY belongs to it
              ORDER BY e.number LIMIT 1),
             (SELECT b.names
              FROM (SELECT group_concat(e.name, '|') AS names, sum(e.value) AS bits
                    FROM enumerators e
                    WHERE e.enum_id = p.enum_id AND e.mask & v.value = e.value
                          AND NOT EXISTS (SELECT 1 FROM enumerators o WHERE o.enum_id = e.enum_id
                                          AND o.value = e.value AND o.mask IS NOT NULL AND o.number < e.number)) b
              WHERE p.flags AND b.bits = v.value), -- all of its bits have names
             v.value)
           WHEN typeof(v.value) = 'real' AND abs(v.value) < 1e999 THEN CASE
             WHEN p.type NOT LIKE '%float%' OR p.type LIKE '%float128%' OR p.type IS NULL THEN
               CASE WHEN CAST(printf('%!.15g', v.value) AS REAL) = v.value THEN printf('%!.15g', v.value)
                    ELSE printf('%!.17g', v.value) END -- below: the first that is surely read back as the same float
             WHEN abs(CAST(printf('%!.6g', v.value) AS REAL) - v.value) <= abs(v.value) / 67108864 THEN printf('%!.6g', v.value)
             WHEN abs(CAST(printf('%!.7g', v.value) AS REAL) - v.value) <= abs(v.value) / 67108864 THEN printf('%!.7g', v.value)
             WHEN abs(CAST(printf('%!.8g', v.value) AS REAL) - v.value) <= abs(v.value) / 67108864 THEN printf('%!.8g', v.value)
             ELSE printf('%!.9g', v.value) END
           ELSE CAST(v.value AS TEXT) END AS text
  FROM calls c JOIN frames fr ON fr.id = +c.frame_id JOIN functions f ON f.id = +fr.function_id
       JOIN parameters p ON p.function_id = f.id LEFT JOIN call_values v ON v.id = c.id * 32 + p.position
  WHERE p.at_exit < 2 OR v.id IS NOT NULL;

CREATE VIEW call_changes AS -- expressions whose values a call changed, as `fisql record --value 'f: p->count at both'`
                           -- records them: p->count, 3, 4
  SELECT before.call_id, before.function, before.parameter AS expression, before.text AS before, after.text AS after
  FROM call_arguments before JOIN call_arguments after
    ON after.call_id = before.call_id AND after.parameter = before.parameter || ' at exit'
  WHERE before.value IS NOT NULL AND after.value IS NOT NULL AND before.text <> after.text;

CREATE VIEW value_count_texts AS -- what the values in value_counts are shown as: the same as in call_arguments
  SELECT k.parameter_id, k.rank,
         CASE
           WHEN k.value IS NULL THEN '?'
           WHEN p.kind = 'text' AND typeof(k.value) = 'text' THEN
             CASE WHEN substr(k.value, -4) = '\...'
                  THEN '"' || replace(substr(k.value, 1, length(k.value) - 4), '"', '\"') || '"...'
                  ELSE '"' || replace(k.value, '"', '\"') || '"' END
           WHEN p.kind IN ('pointer', 'function', 'text') AND typeof(k.value) = 'integer' THEN
             CASE k.value WHEN 0 THEN 'NULL' ELSE printf('0x%x', k.value) END
           WHEN p.kind = 'hex' AND typeof(k.value) = 'integer' THEN printf('0x%x', k.value)
           WHEN p.kind = 'octal' AND typeof(k.value) = 'integer' THEN printf('%s%o', CASE k.value WHEN 0 THEN '' ELSE '0' END, k.value)
           WHEN p.kind = 'bool' AND k.value IN (0, 1) THEN CASE k.value WHEN 0 THEN 'false' ELSE 'true' END
           WHEN p.kind = 'char' AND k.value BETWEEN 32 AND 126 THEN k.value || ' ''' || char(k.value) || ''''
           WHEN p.kind = 'enum' THEN coalesce(
             (SELECT e.name FROM enumerators e
              WHERE e.enum_id = p.enum_id AND e.value = k.value
                    AND NOT EXISTS (SELECT 1 FROM enumerators z WHERE z.enum_id = p.enum_id AND p.flags
                                    AND z.value = 0 AND z.mask & k.value = 0 AND k.value <> 0) -- O_RDONLY belongs to it
              ORDER BY e.number LIMIT 1),
             (SELECT b.names
              FROM (SELECT group_concat(e.name, '|') AS names, sum(e.value) AS bits
                    FROM enumerators e
                    WHERE e.enum_id = p.enum_id AND e.mask & k.value = e.value
                          AND NOT EXISTS (SELECT 1 FROM enumerators o WHERE o.enum_id = e.enum_id
                                          AND o.value = e.value AND o.mask IS NOT NULL AND o.number < e.number)) b
              WHERE p.flags AND b.bits = k.value), -- all of its bits have names
             k.value)
           WHEN typeof(k.value) = 'real' AND abs(k.value) < 1e999 THEN CASE
             WHEN p.type NOT LIKE '%float%' OR p.type LIKE '%float128%' OR p.type IS NULL THEN
               CASE WHEN CAST(printf('%!.15g', k.value) AS REAL) = k.value THEN printf('%!.15g', k.value)
                    ELSE printf('%!.17g', k.value) END -- below: the first that is surely read back as the same float
             WHEN abs(CAST(printf('%!.6g', k.value) AS REAL) - k.value) <= abs(k.value) / 67108864 THEN printf('%!.6g', k.value)
             WHEN abs(CAST(printf('%!.7g', k.value) AS REAL) - k.value) <= abs(k.value) / 67108864 THEN printf('%!.7g', k.value)
             WHEN abs(CAST(printf('%!.8g', k.value) AS REAL) - k.value) <= abs(k.value) / 67108864 THEN printf('%!.8g', k.value)
             ELSE printf('%!.9g', k.value) END
           ELSE CAST(k.value AS TEXT) END AS text
  FROM value_counts k JOIN parameters p ON p.id = k.parameter_id;

CREATE VIEW call_text AS -- calls with their values: fib(n=3) = 2; ? where one is not known;
                        -- open_file(path="x") = -1 (ENOENT)
  SELECT c.id AS call_id, f.name ||
         CASE WHEN EXISTS (SELECT 1 FROM parameters p WHERE p.function_id = f.id) THEN
           '(' || coalesce((SELECT group_concat(a.argument, ', ')
                            FROM (SELECT coalesce(a.parameter || '=', '') || a.text AS argument
                                  FROM call_arguments a
                                  WHERE a.call_id = c.id AND a.position BETWEEN 1 AND 30 ORDER BY a.position) a), '') || ')' ||
           coalesce((SELECT ' = ' || a.text FROM call_arguments a WHERE a.call_id = c.id AND a.position = 0), '') ||
           coalesce((SELECT ' (' || a.text || ')' FROM call_arguments a WHERE a.call_id = c.id AND a.position = 31 AND a.value IS NOT NULL), '')
         ELSE '' END AS text
  FROM calls c JOIN frames fr ON fr.id = +c.frame_id JOIN functions f ON f.id = +fr.function_id;

CREATE VIEW call_blocks AS -- arguments and results (position 0) that point into a block of allocs: the last one that lay
                          -- there when the call was entered or, of a result, left; freed = 1: it was freed by then.
                          -- No row: none of the call's process did, or it is not known. Also without a row: blocks
                          -- that a child has from its parent; freed ones of 64 KiB and more, or allocated aligned
  SELECT call_id, position, address, alloc_id, offset, freed FROM
   (SELECT x.call_id, x.position, x.address, a.id AS alloc_id, x.address - a.address AS offset, x.found, a.size, a.kind,
           -- 1 = before, 0 = after, NULL = that is not known: which came first of what happened in the same nanosecond is known
           -- of what the call's own thread did within it, and beside it if it took any time
           CASE WHEN a.alloc_ns <> x.ns THEN a.alloc_ns < x.ns
                WHEN a.thread_id = x.thread_id AND (a.call_id BETWEEN x.call_id AND x.last_id OR x.enter_ns < x.end_ns)
                THEN coalesce(a.call_id BETWEEN x.call_id AND x.last_id, 0) = (x.position = 0) END AS allocated,
           CASE WHEN coalesce(a.free_ns, -1) <> x.ns THEN coalesce(a.free_ns < x.ns, 0)
                WHEN a.free_thread_id = x.thread_id AND (a.free_call_id BETWEEN x.call_id AND x.last_id OR x.enter_ns < x.end_ns)
                THEN coalesce(a.free_call_id BETWEEN x.call_id AND x.last_id, 0) = (x.position = 0) END AS freed
    FROM (SELECT c.id AS call_id, c.id + c.descendants AS last_id, c.thread_id, c.enter_ns, c.enter_ns + c.duration_ns AS end_ns,
               p.position, v.value AS address, c.enter_ns + CASE p.position WHEN 0 THEN c.duration_ns ELSE 0 END AS ns,
               -- its id, negative where not all that lay there could be looked at. Of each level the addresses are gone
               -- through from which a block of it could reach, and at each of them the newest blocks.
               (WITH RECURSIVE
                  levels(level) AS (
                    SELECT max(b.level) FROM block_places b WHERE b.process_id = t.process_id
                    UNION ALL
                    SELECT (SELECT max(b.level) FROM block_places b WHERE b.process_id = t.process_id AND b.level < l.level)
                    FROM levels l WHERE l.level IS NOT NULL LIMIT 64),
                  starts(level, address) AS (
                    SELECT l.level, (SELECT max(b.address) FROM block_places b
                                     WHERE b.process_id = t.process_id AND b.level = l.level
                                           AND b.address > v.value - (1 << l.level) AND b.address <= v.value)
                    FROM levels l WHERE l.level IS NOT NULL
                    UNION ALL
                    SELECT s.level, (SELECT max(b.address) FROM block_places b
                                     WHERE b.process_id = t.process_id AND b.level = s.level
                                           AND b.address > v.value - (1 << s.level) AND b.address < s.address)
                    FROM starts s WHERE s.address IS NOT NULL LIMIT 1000),
                  newest(alloc_id, hidden) AS (
                    SELECT (SELECT max(n.id)
                            FROM (SELECT b.alloc_id FROM block_places b
                                  WHERE b.process_id = t.process_id AND b.level = s.level AND b.address = s.address
                                        AND b.alloc_ns <= c.enter_ns + CASE p.position WHEN 0 THEN c.duration_ns ELSE 0 END
                                  ORDER BY b.alloc_ns DESC, b.alloc_id DESC LIMIT 64) k
                                 CROSS JOIN allocs n ON n.id = k.alloc_id
                            WHERE v.value - s.address < max(n.size, 1)),
                           EXISTS (SELECT 1 FROM block_places b
                                   WHERE b.process_id = t.process_id AND b.level = s.level AND b.address = s.address
                                   LIMIT 1 OFFSET 63)
                    FROM starts s WHERE s.address IS NOT NULL)
                SELECT CASE WHEN count(*) > 900 OR sum(n.alloc_id IS NULL AND n.hidden) > 0 THEN -max(n.alloc_id)
                       ELSE max(n.alloc_id) END
                FROM newest n) AS found
        FROM calls c JOIN frames fr ON fr.id = +c.frame_id JOIN threads t ON t.id = +c.thread_id
             JOIN parameters p ON p.function_id = +fr.function_id
             JOIN call_values v ON v.id = c.id * 32 + p.position
        WHERE p.kind IN ('pointer', 'function', 'text') AND typeof(v.value) = 'integer' AND v.value > 0) x
       CROSS JOIN allocs a ON a.id = abs(x.found))
  WHERE allocated AND (NOT freed OR
                       -- memory of a large one may be the system's again, and be used for something else
                       freed AND size < 65536 AND kind NOT GLOB '*align*' AND found > 0);

CREATE VIEW listed_arguments AS -- call_arguments of the functions in valued_calls, without texts: of one function in
                               -- no time, however long the run was
  SELECT l.call_id, f.name AS function, p.name AS parameter, p.type, v.value, p.position, p.kind, f.id AS function_id
  FROM functions f CROSS JOIN valued_calls l ON l.id BETWEEN f.id << 38 AND (f.id + 1 << 38) - 1
       CROSS JOIN parameters p ON p.function_id = f.id LEFT JOIN call_values v ON v.id = l.call_id * 32 + p.position;

CREATE VIEW recorded_calls AS -- calls with their functions; fisql query keeps it so where it folds others' functions
  SELECT c.id, c.thread_id, c.frame_id, fr.function_id, c.depth, c.enter_ns, c.duration_ns, c.descendants, c.ended
  FROM calls c JOIN frames fr ON fr.id = c.frame_id;

CREATE VIEW command_again AS -- the recorded command for a shell; PROGRAM where one may take it for something else
                             -- Plain words, and parts in quotes in which nothing is replaced: whoever wrote the log
                             -- wrote the command, and users paste it.
  WITH RECURSIVE
       plain AS (SELECT ' abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=,:+@%-' AS letters),
       recorded AS (SELECT value FROM run WHERE key = 'command' AND length(value) <= 1000 AND value GLOB '[^- ]*'
                                                AND value NOT GLOB '*[^ -~]*'),
       -- what is left behind plain letters, then behind one part in quotes after another
       left_over(rest) AS (
         SELECT ltrim(value, letters) FROM recorded, plain UNION ALL
         SELECT ltrim(substr(rest, 2 + instr(substr(rest, 2), substr(rest, 1, 1))), letters) FROM left_over, plain
         WHERE rest GLOB '''*''*'
               OR rest GLOB '"*"*' AND substr(rest, 2, instr(substr(rest, 2), '"')) NOT GLOB '*[`$\!]*')
  SELECT coalesce((SELECT value FROM recorded WHERE EXISTS (SELECT 1 FROM left_over WHERE rest = '')), 'PROGRAM') AS command;

CREATE VIEW recorded_frames AS -- contexts; fisql query keeps them so where it folds others' functions
  SELECT * FROM frames;

CREATE VIEW call_times AS -- finished calls with their CPU durations, which the statistics are made of
  SELECT c.id, c.thread_id, c.function_id,
         max(0, c.duration_ns
                - (h.inside_ps +
                   CASE WHEN c.id + c.descendants <= h.last_call_id THEN c.descendants * (h.inside_ps + h.outside_ps)
                   ELSE (SELECT sum((k.inside_ps + k.outside_ps) *
                                    (min(k.last_call_id, c.id + c.descendants) - max(k.first_call_id, c.id + 1) + 1))
                         FROM hook_costs k
                         WHERE k.first_call_id BETWEEN h.first_call_id AND c.id + c.descendants) END) / 1000
                - coalesce((SELECT sum(g.wait_ns + g.preempted_ns) FROM gaps g
                            WHERE g.call_id BETWEEN c.id AND c.id + c.descendants), 0)) AS cpu_ns
  FROM hook_costs h CROSS JOIN recorded_calls c ON c.id BETWEEN h.first_call_id AND h.last_call_id
  WHERE c.ended < 2 AND c.duration_ns IS NOT NULL;

CREATE VIEW frame_details AS -- contexts with names in place of ids
  SELECT fr.*, fn.name AS function, fn.location, s.location AS called_from
  FROM frames fr JOIN function_details fn ON fn.id = fr.function_id
       LEFT JOIN site_details s ON s.id = fr.site_id;

CREATE VIEW frame_stacks AS -- each context's stack as text, outermost first: main => parse => next
  WITH RECURSIVE stack(id, text) AS (
    SELECT fr.id, f.name FROM frames fr JOIN functions f ON f.id = fr.function_id WHERE fr.parent_id IS NULL
    UNION ALL
    SELECT fr.id, stack.text || ' => ' || f.name
    FROM stack JOIN frames fr ON fr.parent_id = stack.id JOIN functions f ON f.id = fr.function_id
    WHERE fr.id > stack.id)
  SELECT id AS frame_id, text AS stack FROM stack;

-- What the C library, the dynamic linker and the C++ library allocate for themselves and keep until
-- the program ends. A block is known by the function that malloc returned to; what such a function
-- makes for its caller (strdup, getline, asprintf, fopen, opendir, getaddrinfo's result) is the
-- program's own. Names that a program may use itself count in the C library alone; those that begin
-- with an underscore are reserved. A function compiled with hooks is never one of them.
CREATE VIEW kept_sites AS -- sites that the C library allocates from for itself
  WITH library(module_id) AS ( -- the C library; in a static program it lies in the program itself
         SELECT id FROM modules WHERE name GLOB 'libc.so*' OR name GLOB 'libc-[0-9]*'
         UNION SELECT module_id FROM functions WHERE name = '__libc_start_main' AND NOT instrumented),
       kept(pattern) AS (VALUES
         -- stdio: the buffers of stdin, stdout and of files not closed
         ('_IO_*file_doallocate'),
         -- locales, translations, conversions; not iconv_open's own descriptor
         ('_nl_*'), ('read_alias_file'), ('new_composite_name'), ('set_binding_values'),
         ('__textdomain'), ('__dcigettext'), ('__gconv_[^o]*'), ('__wcsmbs_*'), ('find_derivation'),
         ('add_derivation'), ('gen_steps'), ('add_module'), ('add_alias2'),
         -- users, hosts, services: modules, configuration, the results in static memory
         ('__nss_*'), ('nss_*'), ('global_state_allocate'), ('get_locked_global'),
         ('update_from_conf'), ('__resolv_conf_*'), ('__res_*'), ('__check_pf'), ('make_request'),
         ('__libc_alloc_buffer_*'), ('__libc_dynarray_*'),
         ('get[pgs][wrp]nam'), ('get[pg][wr][ug]id'), ('get[hnpsr]*by*'), ('getaliasbyname'),
         ('get*ent'), ('__get*ent'),
         -- time zones, the environment, functions to be called at exit and at fork
         ('__tz*'), ('tz*'), ('__add_to_environ'), ('putenv'), ('__new_exitfn'),
         ('__cxa_thread_atexit_impl'), ('__register_atfork'),
         -- the dynamic linker where it has names, threads' own memory, texts in static memory
         ('_dl_*'), ('__libc_dl*'), ('*register_printf_*'), ('*dlerror*'), ('allocate_dtv'),
         ('*pthread_setspecific'), ('*strsignal'), ('*strerror*'), ('ttyname'), ('ptsname'),
         -- the unwinder's sorted tables, where a program is static
         ('_Unwind_*'), ('__register_frame*'),
         -- the C++ runtime: memory for exceptions, the global locale, the buffers of cout and the like
         ('_GLOBAL__sub_I_eh_alloc.cc'), ('__cxa_get_globals'), ('std::locale::*'),
         ('std::*filebuf*::_M_allocate_internal_buffer*'))
  SELECT s.id
  FROM sites s JOIN modules m ON m.id = s.module_id LEFT JOIN functions f ON f.id = s.function_id
  WHERE m.name GLOB 'ld-linux*' OR m.name GLOB 'ld64.so*' OR m.name GLOB 'ld-[0-9]*'
     OR m.name GLOB 'libstdc++.so*' AND f.id IS NULL -- what it has no name for: memory for exceptions
     OR NOT f.instrumented AND EXISTS (SELECT 1 FROM kept WHERE f.name GLOB kept.pattern)
        AND (f.name GLOB '_[_A-Z]*' OR f.name GLOB '_[dn]l_*' OR f.name GLOB 'std::*'
             OR m.id IN library);

CREATE VIEW kept_stacks AS -- blocks that the C library keeps, by where they were allocated
  SELECT a.id AS stack_id, a.blocks - a.freed_blocks AS blocks, a.bytes - a.freed_bytes AS bytes
  FROM alloc_stacks a
  WHERE a.blocks > a.freed_blocks AND a.site_id IN (SELECT id FROM kept_sites)
        -- of libstdc++'s functions without names, only one calls malloc
        AND (a.kind = 'malloc' OR a.site_id IN (
          SELECT s.id FROM sites s JOIN modules m ON m.id = s.module_id
          WHERE m.name NOT GLOB 'libstdc++.so*' OR s.function_id IS NOT NULL));

-- Memory's places. A block is made by the function that calls malloc. Where that is a wrapper such as
-- xmalloc, which does so for many, the functions that call the wrapper want the blocks. Queries book the
-- blocks to the first caller that is no wrapper.
CREATE VIEW alloc_wrappers AS -- functions that get, resize or free a block for their callers, as xmalloc does
  WITH RECURSIVE
       small AS MATERIALIZED ( -- with at most one block a call, and of several callers
         SELECT s.function_id, s.allocs + s.frees AS own_blocks, 2 * (s.total_allocs + s.total_frees) >= s.calls AS usual,
                (SELECT count(DISTINCT e.callee_id) FROM edges e JOIN function_stats k ON k.function_id = e.callee_id
                 WHERE e.caller_id = s.function_id AND k.total_allocs + k.total_frees > 0) AS callees -- that use memory
         FROM function_stats s JOIN functions f ON f.id = s.function_id
         WHERE s.total_allocs + s.total_frees > 0 AND s.calls >= 8 AND s.recursive_calls = 0
           AND (s.callers >= 2 OR s.allocs + s.frees = 0 AND f.call_targets = 1 AND f.size <= 128 -- that passes on all
                OR EXISTS ( -- its one caller passes on all, for several
                  SELECT 1 FROM edges e JOIN function_stats k ON k.function_id = e.caller_id
                  WHERE e.callee_id = s.function_id AND k.callers >= 2 AND k.allocs + k.frees = 0
                    AND k.total_allocs = s.total_allocs AND k.total_frees = s.total_frees))
           AND max(s.total_allocs, s.total_frees) <= s.calls
           AND (s.callees <= 2 -- such as a check of the size
                -- each call gets a block, for many: it may lock and count as well
                OR s.callers >= 8 AND s.total_allocs = s.calls AND s.total_frees = 0)
           AND f.size <= 400 AND coalesce(f.call_targets, 0) <= 8 -- the check, malloc, and what tells that it failed
           AND coalesce(f.linkage_name, '') NOT GLOB '_Z*[CD][0-3]E*'), -- constructors and destructors
       passing(function_id) AS ( -- their own code does it, or one function that they call
         SELECT function_id FROM small WHERE callees = 0 AND own_blocks > 0
         UNION
         SELECT s.function_id
         FROM passing p JOIN edges e ON e.callee_id = p.function_id JOIN small s ON s.function_id = e.caller_id
         WHERE s.callees = 1 AND s.own_blocks = 0),
       up(frame_id, min_size, max_size, grows) AS (
         SELECT frame_id, min(min_size), max(max_size), min(kind GLOB 'realloc*') FROM alloc_stacks GROUP BY frame_id
         UNION
         SELECT b.free_frame_id, min(a.min_size), max(a.max_size), NULL
         FROM block_flows b JOIN alloc_stacks a ON a.id = b.stack_id GROUP BY b.free_frame_id
         UNION
         SELECT fr.parent_id, up.min_size, up.max_size, up.grows
         FROM up JOIN frames fr ON fr.id = up.frame_id
         WHERE fr.parent_id < fr.id AND fr.function_id IN (SELECT function_id FROM passing))
  SELECT fr.function_id
  FROM up CROSS JOIN frames fr ON fr.id = up.frame_id JOIN small s ON s.function_id = fr.function_id
  WHERE fr.function_id IN (SELECT function_id FROM passing)
  GROUP BY fr.function_id
  HAVING min(up.min_size) < max(up.max_size) -- one that makes objects of one size is a constructor
     -- in most calls, or where a block has to grow
     AND (max(s.usual) OR min(up.grows))
  UNION -- an own operator of C++ is no other, whatever it calls
  SELECT s.function_id
  FROM functions f JOIN function_stats s ON s.function_id = f.id
  WHERE (f.name GLOB 'operator new*' OR f.name GLOB 'operator delete*') AND s.total_allocs + s.total_frees > 0;

CREATE VIEW alloc_places AS -- alloc_stacks with the function that wanted the blocks, and the place in it
  WITH RECURSIVE
       wrappers AS MATERIALIZED (SELECT function_id FROM alloc_wrappers),
       up(stack_id, frame_id, site_id, function_id, parent_id) AS (
         SELECT a.id, a.frame_id, a.site_id, fr.function_id, fr.parent_id
         FROM alloc_stacks a LEFT JOIN frames fr ON fr.id = a.frame_id
         UNION ALL
         SELECT up.stack_id, caller.id,
                -- an inlined wrapper knows the call site of the function it lies in alone
                CASE WHEN fr.site_id IS NOT caller.site_id THEN fr.site_id END, caller.function_id, caller.parent_id
         FROM up JOIN frames fr ON fr.id = up.frame_id JOIN frames caller ON caller.id = up.parent_id
         WHERE up.parent_id < up.frame_id AND up.function_id IN (SELECT function_id FROM wrappers))
  SELECT 0 AS wrappers, stack_id, frame_id, site_id, function_id
  FROM up WHERE parent_id IS NULL OR function_id NOT IN (SELECT function_id FROM wrappers)
  UNION ALL -- wrappers = 1: as alloc_stacks has it
  SELECT 1, a.id, a.frame_id, a.site_id, fr.function_id
  FROM alloc_stacks a LEFT JOIN frames fr ON fr.id = a.frame_id;

CREATE VIEW free_places AS -- block_flows with the function that wanted the blocks freed
  WITH RECURSIVE
       wrappers AS MATERIALIZED (SELECT function_id FROM alloc_wrappers),
       up(flow_id, frame_id, site_id, function_id, parent_id) AS (
         SELECT b.id, b.free_frame_id, b.free_site_id, fr.function_id, fr.parent_id
         FROM block_flows b LEFT JOIN frames fr ON fr.id = b.free_frame_id
         UNION ALL
         SELECT up.flow_id, caller.id, CASE WHEN fr.site_id IS NOT caller.site_id THEN fr.site_id END,
                caller.function_id, caller.parent_id
         FROM up JOIN frames fr ON fr.id = up.frame_id JOIN frames caller ON caller.id = up.parent_id
         WHERE up.parent_id < up.frame_id AND up.function_id IN (SELECT function_id FROM wrappers))
  SELECT 0 AS wrappers, flow_id, frame_id, site_id, function_id
  FROM up WHERE parent_id IS NULL OR function_id NOT IN (SELECT function_id FROM wrappers)
  UNION ALL
  SELECT 1, b.id, b.free_frame_id, b.free_site_id, fr.function_id
  FROM block_flows b LEFT JOIN frames fr ON fr.id = b.free_frame_id;
CREATE VIEW block_group_places AS -- block_groups with the function of the call; not what the whole run is, main and the like
  -- CROSS JOIN: in this order; any other one is a product of all places
  SELECT p.wrappers, g.stack_id, g.flow_id, g.by_caller, g.blocks, g.call_id, p.function_id AS allocated_by_id,
         CASE WHEN g.by_caller AND p.frame_id IS a.frame_id THEN caller.function_id ELSE p.function_id END AS function_id
  FROM block_groups g CROSS JOIN alloc_stacks a ON a.id = g.stack_id CROSS JOIN alloc_places p ON p.stack_id = a.id
       LEFT JOIN frames fr ON fr.id = p.frame_id LEFT JOIN frames caller ON caller.id = fr.parent_id
  WHERE g.flow_id IS NULL
    AND CASE WHEN p.frame_id IS a.frame_id THEN NOT g.by_caller OR caller.parent_id IS NOT NULL ELSE g.by_caller END
  UNION ALL
  SELECT p.wrappers, g.stack_id, g.flow_id, g.by_caller, g.blocks, g.call_id, ap.function_id,
         CASE WHEN g.by_caller AND p.frame_id IS b.free_frame_id THEN caller.function_id ELSE p.function_id END
  FROM block_groups g CROSS JOIN block_flows b ON b.id = g.flow_id CROSS JOIN free_places p ON p.flow_id = b.id
       CROSS JOIN alloc_places ap ON ap.stack_id = g.stack_id AND ap.wrappers = +p.wrappers
       LEFT JOIN frames fr ON fr.id = p.frame_id LEFT JOIN frames caller ON caller.id = fr.parent_id
  WHERE CASE WHEN p.frame_id IS b.free_frame_id THEN NOT g.by_caller OR caller.parent_id IS NOT NULL ELSE g.by_caller END;

CREATE INDEX frames_parent ON frames(parent_id);
CREATE INDEX frames_function ON frames(function_id);
CREATE INDEX frames_astray ON frames(id) WHERE parent_id >= id OR id < 1; -- holds none: they would go round in circles
CREATE INDEX functions_name ON functions(name);
CREATE INDEX gaps_call ON gaps(call_id);
CREATE INDEX objects_held ON objects(held) WHERE held > 0;
CREATE INDEX object_references_problem ON object_references(problem) WHERE problem IS NOT NULL;
CREATE INDEX block_flows_stack ON block_flows(stack_id);
CREATE INDEX alloc_stacks_frame ON alloc_stacks(frame_id);
