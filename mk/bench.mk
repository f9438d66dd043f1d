# Benchmarks: what recording, loading and asking cost. docs/performance.md has their figures.

.PHONY: bench bench-others bench-load bench-symbols bench-times bench-trace bench-stacks bench-page bench-serve bench-attach bench-servers bench-service bench-sampled bench-queries bench-fleet bench-foreign bench-whatif trust

bench: all ## what recording costs, beside uftrace and heaptrack (some minutes)
	@tests/setup bench
	tests/bench/record.py $(BUILD) 3

bench-others: all ## what README's table of other tools says (a minute)
	@tests/setup bench
	tests/bench/others.py $(BUILD) 3

bench-load: all $(BUILD)/bench_insert $(BUILD)/bench_values ## what loading costs, beside INSERT and uftrace report
	@tests/setup bench
	tests/bench/load.py $(BUILD) 3
	tests/bench/contexts.py $(BUILD) 3
	tests/bench/values.py $(BUILD) 3

bench-symbols: all ## loading a program with 500 MB of debug information (makes it first: ten minutes)
	@tests/setup bench
	tests/bench/symbols.py $(BUILD) 3 $(PROGRAM)

bench-times: all ## how near adjusted times come to the untraced program's
	@tests/setup bench
	tests/bench/times.py $(BUILD) 7

bench-trace: all ## what macros of fisql_trace.h cost that are off
	@tests/setup bench
	tests/bench/trace.py $(BUILD)

trust: all ## how near adjusted times of five real programs come to their own time
	@tests/setup trust
	tests/bench/trust.py $(BUILD) 3

bench-whatif: all ## are predictions of fisql whatif right? Eleven changes are made, and timed (some minutes; wants a quiet machine)
	@tests/setup real
	tests/bench/whatif.py $(BUILD) 7

bench-stacks: all ## what fisql stacks costs, and what a program of 200 threads notices of it (a minute)
	tests/bench/stacks.py $(BUILD) 4

bench-page: all ## what the report page takes to open in Chromium
	@tests/setup check
	tests/bench/page.py $(BUILD) 5

bench-serve: all ## how long fisql serve takes to answer windows of the timeline of DATABASE (run.db)
	tests/bench/serve.py $(BUILD)/fisql $(or $(DATABASE),run.db)
	tests/bench/serve.py $(BUILD)/fisql $(or $(DATABASE),run.db) --busy 3

bench-attach: all ## what a server under load notices of fisql record -p (eleven minutes)
	@tests/setup bench
	tests/bench/attach.py $(BUILD)/fisql 5 60
	tests/bench/attach.py none 5 60

bench-servers: all ## what recording nginx, PostgreSQL and git costs: plain, with library calls, with a budget (ten minutes)
	@tests/setup bench
	tests/bench/servers.py $(BUILD)/fisql 5

bench-service: all ## nginx recorded for an hour with --rotate: is a call lost, does memory grow?
	@tests/setup bench
	tests/bench/service.py $(BUILD)/fisql 60

bench-sampled: all ## what record --time sampled costs, and how near its estimates are (three minutes)
	@tests/setup bench
	tests/bench/sampled.py $(BUILD)/fisql 5

bench-queries: all ## how long the canned queries take on some 70 million calls
	@tests/setup bench
	tests/bench/queries.py $(BUILD) 3

bench-fleet: all $(BUILD)/bench_fleet ## many runs on two shards of ClickHouse: rows in, bytes, each question (half an hour, 15 GB); with RUNS="100 1000" of so many
	@tests/setup check
	@tests/setup fleet
	tests/bench/fleet.py $(BUILD) 3 $(RUNS)

bench-foreign: all ## what loading other tools' recordings costs: uftrace's, Perfetto's, Chrome's (two minutes, 5 GB)
	@tests/setup bench
	tests/bench/foreign.py $(BUILD) 3

# What speaks to a server stands on the commands' objects, too.
$(BUILD)/bench_fleet: tests/bench/bench_fleet.c $(LIB_OBJ) $(COMMAND_OBJ)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MF $@.d -o $@ $< $(COMMAND_OBJ) $(LIB_OBJ) $(LIBS)

$(BUILD)/bench_%: tests/bench/bench_%.c $(LIB_OBJ)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MF $@.d -o $@ $< $(LIB_OBJ) $(LIBS)
