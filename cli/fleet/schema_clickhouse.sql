-- fisql: the tables of many runs (`fisql push`) on a ClickHouse server, 18.16 or newer. The same tables and
-- columns as in cli/fleet/schema_fleet.sql, which says more of them; tests compare the two.
--
-- run_id is random: it is of one push of one run. The row of runs is written last, and queries read rows of
-- runs that have one alone: what a push that was killed has left is seen by nobody. Two pushes of one run
-- at once may both come to their end; the first one's rows count then.
--
-- With --cluster NAME each table here is called NAME_local, on each shard, and the table without _local is a
-- Distributed one over them: all rows of a run lie on one shard.
--
-- day: when a row was written, for dropping old months: ALTER TABLE functions DROP PARTITION 202601.
-- Sorted by function or context, equal ids lie together over all runs and pack well.

CREATE TABLE IF NOT EXISTS fleet_version ( -- of these tables: the greatest counts
  version Int64
) ENGINE = MergeTree PARTITION BY tuple() ORDER BY version;

CREATE TABLE IF NOT EXISTS runs ( -- one row for each run
  run_id Int64, -- of its rows in the other tables
  run String,   -- the recording's own id: the fact run_id of its database
  pushed Int64,    -- when, in seconds since 1970
  recorded Int64,  -- when its recording started, in the same unit; 0 = not known
  program String,      -- last part of the program's path
  host String,         -- where it ran
  build String,        -- the program's build-id, '' = it has none
  command String,      -- as it was started
  functions Int64, -- with hooks, called or not
  called Int64,    -- those that were called
  contexts Int64,  -- rows in the table contexts
  calls Int64,
  self_cpu_ns Int64, -- processor time in functions with hooks
  allocs Int64,    -- blocks allocated
  alloc_bytes Int64,
  not_freed_blocks Int64, -- but for what the C library keeps
  not_freed_bytes Int64,
  losses Int64,    -- rows of the run's table losses: 0 = the recording is complete
  has_calls Int64, -- 1 = pushed with --calls
  parts Int64,     -- rows in the table parts,
  database_bytes Int64, -- and the size of the database that they give
  day Date DEFAULT today()
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (run_id);

CREATE TABLE IF NOT EXISTS labels ( -- what runs are chosen by: those given with --label; program, host, build and day of each
  run_id Int64,
  key String,
  value String,
  day Date DEFAULT today()
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (key, value, run_id);

CREATE TABLE IF NOT EXISTS facts ( -- the run's own facts: the table run of its database
  run_id Int64,
  key String,
  value String,
  day Date DEFAULT today()
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (key, run_id);

CREATE TABLE IF NOT EXISTS names ( -- of functions; the same in each run that has the function, but where a build changed it
  function_id Int64,
  name String,         -- short
  full_name String,    -- demangled in full
  linkage_name String, -- as the linker knows it
  file String,         -- path of its source, '' = not known
  module String,       -- program or library
  own Int64 -- 1 = the user's own (functions.own of the run's database)
) ENGINE = ReplacingMergeTree PARTITION BY tuple() ORDER BY (function_id, name, full_name, linkage_name, file, module, own);

CREATE TABLE IF NOT EXISTS functions ( -- what a function did in a run; one row also where it was not called
  run_id Int64,
  function_id Int64,
  calls Int64,     -- 0 = never called
  finished Int64,
  total_ns Int64,
  cpu_ns Int64,    -- of total_ns on the processor
  self_ns Int64,
  self_cpu_ns Int64,
  self_log2 Int64, -- 65536 * log2(self_cpu_ns + 1): integers add up to the same on every engine
  self_wait_ns Int64,
  max_ns Int64,    -- CPU time of its slowest call
  allocs Int64, alloc_bytes Int64, -- by its own code
  frees Int64, free_bytes Int64,
  not_freed_blocks Int64, not_freed_bytes Int64, -- that it wanted (alloc_places)
  day Date DEFAULT today()
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (function_id, run_id);

CREATE TABLE IF NOT EXISTS durations ( -- histogram of the CPU durations of a function's finished calls
  run_id Int64,
  function_id Int64,
  log2 Int64,      -- 2^log2 <= duration in ns < 2^(log2+1); 0 also holds 0 ns
  calls Int64,
  day Date DEFAULT today()
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (function_id, run_id, log2);

CREATE TABLE IF NOT EXISTS edges ( -- calls between functions
  run_id Int64,
  caller_id Int64, -- function_id, 0 = no caller with hooks
  callee_id Int64, -- function_id
  calls Int64,
  total_ns Int64,
  self_ns Int64,   -- of the callee in these calls
  day Date DEFAULT today()
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (callee_id, caller_id, run_id);

CREATE TABLE IF NOT EXISTS stacks ( -- what contexts are; the same in each run that has the context
  context_id Int64,
  function_id Int64, -- the innermost function
  stack String -- names, outermost first, " => " between them; of more than 64, the innermost
) ENGINE = ReplacingMergeTree PARTITION BY tuple() ORDER BY (context_id, function_id, stack);

CREATE TABLE IF NOT EXISTS contexts ( -- what was done in a calling context
  run_id Int64,
  context_id Int64,
  calls Int64,
  total_ns Int64,
  self_cpu_ns Int64,
  allocs Int64,
  alloc_bytes Int64,
  day Date DEFAULT today()
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (context_id, run_id);

CREATE TABLE IF NOT EXISTS allocations ( -- blocks by where they were allocated
  run_id Int64,
  context_id Int64,  -- 0 = outside any recorded call
  function_id Int64, -- that wanted them (alloc_places), 0 = none
  place String,        -- where in it, file:line
  kind String,         -- malloc, new, ...
  kept Int64,      -- 1 = by the C library for itself, until the program ends
  blocks Int64, bytes Int64,
  not_freed_blocks Int64, not_freed_bytes Int64,
  live_bytes_max Int64, -- most live at once; a sum where sites were put together
  day Date DEFAULT today()
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (function_id, context_id, run_id);

CREATE TABLE IF NOT EXISTS slowest ( -- the slowest calls of each function, up to 3
  run_id Int64,
  function_id Int64,
  place Int64,     -- 1 = the slowest
  context_id Int64,-- that it was made in, 0 = not known
  cpu_ns Int64,
  duration_ns Int64, -- waiting included
  call_id Int64,   -- calls.id in the run's database
  day Date DEFAULT today()
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (function_id, run_id, place);

CREATE TABLE IF NOT EXISTS incidents ( -- what went wrong in a run
  run_id Int64,
  kind String,         -- 'double free', 'bad free', 'mismatched free', 'loss', or that of an incident or an anomaly
  function_id Int64, -- where, 0 = not known
  detail String,       -- the signal or message; the function that freed first; the loss's reason
  times Int64,
  day Date DEFAULT today()
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (kind, function_id, run_id);

CREATE TABLE IF NOT EXISTS findings ( -- rows of the run's queries that say what holds in every call
  run_id Int64,
  query String,        -- inline-candidates, proxies, single-callee or constant-arguments
  function_id Int64,
  detail String,       -- the caller, the target, the callee; the argument and its value
  calls Int64,
  day Date DEFAULT today()
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (query, function_id, run_id);

CREATE TABLE IF NOT EXISTS value_counts ( -- arguments and results, where they were recorded: the commonest values, up to 64
  run_id Int64,
  function_id Int64,
  position Int64,  -- 0 = the result, 1 = the first parameter, 31 = errno
  parameter String,    -- its name
  value String,        -- as fisql shows it
  calls Int64,     -- with it, at least
  day Date DEFAULT today()
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (function_id, position, run_id);

CREATE TABLE IF NOT EXISTS calls ( -- with --calls: every call, as in the run's database
  run_id Int64,
  id Int64,
  parent_id Int64, -- 0 = none
  thread_id Int64,
  function_id Int64,
  context_id Int64,
  depth Int64,
  enter_ns Int64,
  duration_ns Int64, -- the hooks' cost included
  self_ns Int64,
  descendants Int64,
  ended Int64,     -- 0 returned, 1 unwound, 2 open, 3 lost
  day Date DEFAULT today()
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (run_id, id);

CREATE TABLE IF NOT EXISTS allocs ( -- with --calls: every block
  run_id Int64,
  id Int64,
  call_id Int64,   -- 0 = outside any call
  context_id Int64,
  thread_id Int64,
  kind String,
  size Int64,
  alloc_ns Int64,
  free_ns Int64,   -- -1 = not freed
  day Date DEFAULT today()
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (run_id, id);

CREATE TABLE IF NOT EXISTS parts ( -- the run's database itself, without rows of calls unless --calls was given: what
                    -- `fisql pull` gives back. The parts in order are one zstd frame of the SQLite file
  run_id Int64,
  number Int64,    -- from 0
  bytes String,        -- at most 1 MiB
  day Date DEFAULT today()
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (run_id, number);

CREATE TABLE IF NOT EXISTS batches ( -- runs of one build and day that were summed up in function_sums and context_sums: a
                    -- question about all runs of a batch reads these sums, and the rows of runs that are in none
  batch_id Int64,
  run_id Int64,
  runs Int64,      -- that the batch has: where not so many are there, its sums are not read
  day Date DEFAULT today()
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (batch_id, run_id);

CREATE TABLE IF NOT EXISTS function_sums ( -- the rows of functions, over the runs of a batch
  batch_id Int64,
  function_id Int64,
  runs Int64, -- of the batch that have it
  called Int64, -- runs that called it
  calls Int64,
  calls_min Int64, -- of these runs
  calls_max Int64,
  finished Int64,
  cpu_ns Int64,
  self_cpu_ns Int64,
  self_log2 Int64, -- sums of functions.self_log2,
  self_log2_squares Int64, -- and of its squares
  max_ns Int64,
  alloc_bytes Int64,
  alloc_bytes_min Int64,
  alloc_bytes_max Int64,
  not_freed_bytes Int64,
  not_freed_bytes_min Int64,
  not_freed_bytes_max Int64,
  day Date DEFAULT today()
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (function_id, batch_id);

CREATE TABLE IF NOT EXISTS context_sums ( -- sums of the rows of contexts
  batch_id Int64,
  context_id Int64,
  runs Int64,      -- of the batch that reached it
  calls Int64,
  self_cpu_ns Int64,
  day Date DEFAULT today()
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (context_id, batch_id);
