-- fisql: the tables of many runs (`fisql push`) in one SQLite file. cli/fleet/schema_clickhouse.sql has the same
-- tables and columns for ClickHouse; the queries of queries/fleet/ run on both.
--
-- A run is one recording. Functions and contexts have the same id in every run and in every build:
-- function_id is functions.stable_id of the run's database as a number; context_id a hash of the
-- function_ids on the stack, outermost first. Functions of a run that share an id (copies of one body),
-- and contexts that differ in call sites alone, are added up. What is added up over runs is a count or
-- a sum. Times are nanoseconds, adjusted as in the run's database (schema.sql).
--
-- A run is pushed in one transaction: it is here whole or not at all.

PRAGMA application_id = 0x46535146;
PRAGMA user_version = 2;

CREATE TABLE runs( -- one row for each run
  run_id INTEGER PRIMARY KEY, -- of its rows in the other tables
  run TEXT NOT NULL UNIQUE,   -- the recording's own id: the fact run_id of its database
  pushed INTEGER NOT NULL,    -- when, in seconds since 1970
  recorded INTEGER NOT NULL,  -- when its recording started, in the same unit; 0 = not known
  program TEXT NOT NULL,      -- last part of the program's path
  host TEXT NOT NULL,         -- where it ran
  build TEXT NOT NULL,        -- the program's build-id, '' = it has none
  command TEXT NOT NULL,      -- as it was started
  functions INTEGER NOT NULL, -- with hooks, called or not
  called INTEGER NOT NULL,    -- those that were called
  contexts INTEGER NOT NULL,  -- rows in the table contexts
  calls INTEGER NOT NULL,
  self_cpu_ns INTEGER NOT NULL, -- processor time in functions with hooks
  allocs INTEGER NOT NULL,    -- blocks allocated
  alloc_bytes INTEGER NOT NULL,
  not_freed_blocks INTEGER NOT NULL, -- but for what the C library keeps
  not_freed_bytes INTEGER NOT NULL,
  losses INTEGER NOT NULL,    -- rows of the run's table losses: 0 = the recording is complete
  has_calls INTEGER NOT NULL, -- 1 = pushed with --calls
  parts INTEGER NOT NULL,     -- rows in the table parts,
  database_bytes INTEGER NOT NULL -- and the size of the database that they give
);

CREATE TABLE labels( -- what runs are chosen by: those given with --label; program, host, build and day of each
  run_id INTEGER NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY(run_id, key)
) WITHOUT ROWID;

CREATE TABLE facts( -- the run's own facts: the table run of its database
  run_id INTEGER NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY(run_id, key)
) WITHOUT ROWID;

CREATE TABLE names( -- of functions; the same in each run that has the function, but where a build changed it
  function_id INTEGER NOT NULL,
  name TEXT NOT NULL,         -- short
  full_name TEXT NOT NULL,    -- demangled in full
  linkage_name TEXT NOT NULL, -- as the linker knows it
  file TEXT NOT NULL,         -- path of its source, '' = not known
  module TEXT NOT NULL,       -- program or library
  own INTEGER NOT NULL,       -- 1 = the user's own (functions.own of the run's database)
  PRIMARY KEY(function_id, name, full_name, linkage_name, file, module, own)
) WITHOUT ROWID;

CREATE TABLE functions( -- what a function did in a run; one row also where it was not called
  run_id INTEGER NOT NULL,
  function_id INTEGER NOT NULL,
  calls INTEGER NOT NULL,     -- 0 = never called
  finished INTEGER NOT NULL,
  total_ns INTEGER NOT NULL,
  cpu_ns INTEGER NOT NULL,    -- of total_ns on the processor
  self_ns INTEGER NOT NULL,
  self_cpu_ns INTEGER NOT NULL,
  self_log2 INTEGER NOT NULL, -- 65536 * log2(self_cpu_ns + 1): integers add up to the same on every engine
  self_wait_ns INTEGER NOT NULL,
  max_ns INTEGER NOT NULL,    -- CPU time of its slowest call
  allocs INTEGER NOT NULL, alloc_bytes INTEGER NOT NULL, -- by its own code
  frees INTEGER NOT NULL, free_bytes INTEGER NOT NULL,
  not_freed_blocks INTEGER NOT NULL, not_freed_bytes INTEGER NOT NULL, -- that it wanted (alloc_places)
  PRIMARY KEY(run_id, function_id)
) WITHOUT ROWID;

CREATE TABLE durations( -- histogram of the CPU durations of a function's finished calls
  run_id INTEGER NOT NULL,
  function_id INTEGER NOT NULL,
  log2 INTEGER NOT NULL,      -- 2^log2 <= duration in ns < 2^(log2+1); 0 also holds 0 ns
  calls INTEGER NOT NULL,
  PRIMARY KEY(run_id, function_id, log2)
) WITHOUT ROWID;

CREATE TABLE edges( -- calls between functions
  run_id INTEGER NOT NULL,
  caller_id INTEGER NOT NULL, -- function_id, 0 = no caller with hooks
  callee_id INTEGER NOT NULL, -- function_id
  calls INTEGER NOT NULL,
  total_ns INTEGER NOT NULL,
  self_ns INTEGER NOT NULL,   -- of the callee in these calls
  PRIMARY KEY(run_id, callee_id, caller_id)
) WITHOUT ROWID;

CREATE TABLE stacks( -- what contexts are; the same in each run that has the context
  context_id INTEGER NOT NULL,
  function_id INTEGER NOT NULL, -- the innermost function
  stack TEXT NOT NULL,        -- names, outermost first, " => " between them; of more than 64, the innermost
  PRIMARY KEY(context_id, function_id, stack)
) WITHOUT ROWID;

CREATE TABLE contexts( -- what was done in a calling context
  run_id INTEGER NOT NULL,
  context_id INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  total_ns INTEGER NOT NULL,
  self_cpu_ns INTEGER NOT NULL,
  allocs INTEGER NOT NULL,
  alloc_bytes INTEGER NOT NULL,
  PRIMARY KEY(run_id, context_id)
) WITHOUT ROWID;

CREATE TABLE allocations( -- blocks by where they were allocated
  run_id INTEGER NOT NULL,
  context_id INTEGER NOT NULL,  -- 0 = outside any recorded call
  function_id INTEGER NOT NULL, -- that wanted them (alloc_places), 0 = none
  place TEXT NOT NULL,        -- where in it, file:line
  kind TEXT NOT NULL,         -- malloc, new, ...
  kept INTEGER NOT NULL,      -- 1 = by the C library for itself, until the program ends
  blocks INTEGER NOT NULL, bytes INTEGER NOT NULL,
  not_freed_blocks INTEGER NOT NULL, not_freed_bytes INTEGER NOT NULL,
  live_bytes_max INTEGER NOT NULL, -- most live at once; a sum where sites were put together
  PRIMARY KEY(run_id, context_id, function_id, place, kind, kept)
) WITHOUT ROWID;

CREATE TABLE slowest( -- the slowest calls of each function, up to 3
  run_id INTEGER NOT NULL,
  function_id INTEGER NOT NULL,
  place INTEGER NOT NULL,     -- 1 = the slowest
  context_id INTEGER NOT NULL,-- that it was made in, 0 = not known
  cpu_ns INTEGER NOT NULL,
  duration_ns INTEGER NOT NULL, -- waiting included
  call_id INTEGER NOT NULL,   -- calls.id in the run's database
  PRIMARY KEY(run_id, function_id, place)
) WITHOUT ROWID;

CREATE TABLE incidents( -- what went wrong in a run
  run_id INTEGER NOT NULL,
  kind TEXT NOT NULL,         -- 'double free', 'bad free', 'mismatched free', 'loss', or that of an incident or an anomaly
  function_id INTEGER NOT NULL, -- where, 0 = not known
  detail TEXT NOT NULL,       -- the signal or message; the function that freed first; the loss's reason
  times INTEGER NOT NULL,
  PRIMARY KEY(run_id, kind, function_id, detail)
) WITHOUT ROWID;

CREATE TABLE findings( -- rows of the run's queries that say what holds in every call
  run_id INTEGER NOT NULL,
  query TEXT NOT NULL,        -- inline-candidates, proxies, single-callee or constant-arguments
  function_id INTEGER NOT NULL,
  detail TEXT NOT NULL,       -- the caller, the target, the callee; the argument and its value
  calls INTEGER NOT NULL,
  PRIMARY KEY(run_id, query, function_id, detail)
) WITHOUT ROWID;

CREATE TABLE value_counts( -- arguments and results, where they were recorded: the commonest values, up to 64
  run_id INTEGER NOT NULL,
  function_id INTEGER NOT NULL,
  position INTEGER NOT NULL,  -- 0 = the result, 1 = the first parameter, 31 = errno
  parameter TEXT NOT NULL,    -- its name
  value TEXT NOT NULL,        -- as fisql shows it
  calls INTEGER NOT NULL,     -- with it, at least
  PRIMARY KEY(run_id, function_id, position, parameter, value)
) WITHOUT ROWID;

CREATE TABLE calls( -- with --calls: every call, as in the run's database
  run_id INTEGER NOT NULL,
  id INTEGER NOT NULL,
  parent_id INTEGER NOT NULL, -- 0 = none
  thread_id INTEGER NOT NULL,
  function_id INTEGER NOT NULL,
  context_id INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  enter_ns INTEGER NOT NULL,
  duration_ns INTEGER NOT NULL, -- the hooks' cost included
  self_ns INTEGER NOT NULL,
  descendants INTEGER NOT NULL,
  ended INTEGER NOT NULL,     -- 0 returned, 1 unwound, 2 open, 3 lost
  PRIMARY KEY(run_id, id)
) WITHOUT ROWID;

CREATE TABLE allocs( -- with --calls: every block
  run_id INTEGER NOT NULL,
  id INTEGER NOT NULL,
  call_id INTEGER NOT NULL,   -- 0 = outside any call
  context_id INTEGER NOT NULL,
  thread_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  size INTEGER NOT NULL,
  alloc_ns INTEGER NOT NULL,
  free_ns INTEGER NOT NULL,   -- -1 = not freed
  PRIMARY KEY(run_id, id)
) WITHOUT ROWID;

CREATE TABLE parts( -- the run's database itself, without rows of calls unless --calls was given: what
                    -- `fisql pull` gives back. The parts in order are one zstd frame of the SQLite file
  run_id INTEGER NOT NULL,
  number INTEGER NOT NULL,    -- from 0
  bytes BLOB NOT NULL,        -- at most 1 MiB
  PRIMARY KEY(run_id, number)
);

CREATE TABLE batches( -- runs of one build and day that were summed up in function_sums and context_sums: a question about all
                      -- runs of a batch reads these sums, and the rows of runs that are in none
  batch_id INTEGER NOT NULL,
  run_id INTEGER NOT NULL,
  runs INTEGER NOT NULL,      -- that the batch has: where not so many are there, its sums are not read
  PRIMARY KEY(batch_id, run_id)
) WITHOUT ROWID;

CREATE TABLE function_sums( -- the rows of functions, over the runs of a batch
  batch_id INTEGER NOT NULL,
  function_id INTEGER NOT NULL,
  runs INTEGER NOT NULL, -- of the batch that have it
  called INTEGER NOT NULL, -- runs that called it
  calls INTEGER NOT NULL,
  calls_min INTEGER NOT NULL, -- of these runs
  calls_max INTEGER NOT NULL,
  finished INTEGER NOT NULL,
  cpu_ns INTEGER NOT NULL,
  self_cpu_ns INTEGER NOT NULL,
  self_log2 INTEGER NOT NULL, -- sums of functions.self_log2,
  self_log2_squares INTEGER NOT NULL, -- and of its squares
  max_ns INTEGER NOT NULL,
  alloc_bytes INTEGER NOT NULL,
  alloc_bytes_min INTEGER NOT NULL,
  alloc_bytes_max INTEGER NOT NULL,
  not_freed_bytes INTEGER NOT NULL,
  not_freed_bytes_min INTEGER NOT NULL,
  not_freed_bytes_max INTEGER NOT NULL,
  PRIMARY KEY(batch_id, function_id)
) WITHOUT ROWID;

CREATE TABLE context_sums( -- sums of the rows of contexts
  batch_id INTEGER NOT NULL,
  context_id INTEGER NOT NULL,
  runs INTEGER NOT NULL,      -- of the batch that reached it
  calls INTEGER NOT NULL,
  self_cpu_ns INTEGER NOT NULL,
  PRIMARY KEY(batch_id, context_id)
) WITHOUT ROWID;
