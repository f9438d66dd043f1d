# fisql: records, loads and queries the calls and allocations of C and C++ programs.
# `make help` lists the targets.

BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
VERSION := 0.1.0

CC ?= cc
OPT ?= -O2 -g
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
        -Wwrite-strings -Wvla -Wundef -Wformat=2 -Wimplicit-fallthrough
ifdef CI
WARN += -Werror
endif
# Where libdwarf's headers are not in Debian's place, pkg-config knows, or the folder has its version in its name.
ifeq ($(wildcard /usr/include/libdwarf/libdwarf.h),)
DWARF_FLAGS := $(shell pkg-config --cflags libdwarf 2>/dev/null || \
        ls -d /usr/include/libdwarf-* 2>/dev/null | sed -n 's/^/-I/;$$p')
endif
CPPFLAGS_ALL = -I. $(DWARF_FLAGS) -D_GNU_SOURCE -DFISQL_VERSION='"$(VERSION)"' $(CPPFLAGS)
CFLAGS_ALL = -std=gnu11 $(OPT) $(WARN) -fno-common -MMD -MP $(SANITIZE) $(CFLAGS)
# The collector lives inside other people's programs: it is never sanitized or instrumented itself.
COLLECTOR_CFLAGS = -std=gnu11 -O2 -g $(WARN) -fno-common -MMD -MP -fPIC -fvisibility=hidden \
        -ftls-model=initial-exec -fno-builtin-malloc -fexceptions $(CFLAGS)
LIBS = -lsqlite3 -ldwarf -lz -lzstd -lpthread -ldl -lm
# The demangler of gcc and binutils; without it C++ names are demangled by the C++ runtime, Rust's
# only where they have C++'s form.
ifneq ($(wildcard /usr/include/libiberty/demangle.h),)
CPPFLAGS_ALL += -DFISQL_LIBIBERTY
LIBS += -liberty
endif

VALUES_SRC := $(wildcard collector/values/values*.c)
CALLS_SRC := collector/faults/faults_calls.c
LOCKS_SRC := $(wildcard collector/locks/locks*.c) collector/core/own.c collector/core/reserve.c
FAULTS_SRC := $(filter-out $(CALLS_SRC),$(wildcard collector/faults/faults*.c))
COLLECTOR_SRC := $(filter-out $(VALUES_SRC) $(FAULTS_SRC) $(CALLS_SRC) collector/locks/locks%,$(wildcard collector/*.c collector/*/*.c))
LOADER_SRC := $(wildcard base/*.c loader/*.c loader/*/*.c live/*.c debuginfo/*/*.c)
QUERY_SRC := $(wildcard queries/*.c)
CLI_SRC := $(wildcard cli/*.c cli/*/*.c)
UNIT_SRC := $(wildcard tests/unit/test_*.c)
SCHEMAS := schema.sql cli/fleet/schema_fleet.sql cli/fleet/schema_clickhouse.sql
SQL := $(wildcard queries/*.sql queries/fleet/*.sql queries/push/*.sql queries/fold/*.sql)
E2E := $(filter-out %/lib.sh,$(wildcard tests/e2e/*.sh))

# One line a file; V=1 shows the commands, -s nothing.
SILENT := $(findstring s,$(firstword -$(MAKEFLAGS)))
say = $(if $(filter 1,$(V)),,@$(if $(SILENT),,printf '  %-4s %s\n' $(1) $@; ))

objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
COLLECTOR_OBJ := $(call objects,$(COLLECTOR_SRC))
# The collector that records arguments and results, too. It leaves vector registers alone (collector/values/values.h).
VALUES_OBJ := $(patsubst %.o,%_values.o,$(call objects,$(COLLECTOR_SRC) $(VALUES_SRC)) $(patsubst %.S,$(BUILD)/obj/%.o,$(wildcard collector/*/*.S)))
VALUES_FLAGS = -DFISQL_VALUES -mgeneral-regs-only
# What FISQL_SAY prints may be a double; it is no hook.
$(BUILD)/obj/collector/told/trace_say_values.o $(BUILD)/obj/collector/told/trace_say_faults.o: VALUES_FLAGS = -DFISQL_VALUES
# The one that makes calls fail, too (collector/faults/faults.h).
FAULTS_OBJ := $(VALUES_OBJ:%_values.o=%_faults.o) $(patsubst %.o,%_faults.o,$(call objects,$(FAULTS_SRC)))
# In a program that links libfisql.a, longjmp and the like are wrapped by the linker; in a static one
# malloc and the operators new and delete are too. Both use its C library.
WRAPPED := interpose library fork exec quiet seccomp incident_calls incident_signals
WRAPPED_OBJ := $(foreach name,$(WRAPPED),$(filter %/$(name).o,$(COLLECTOR_OBJ)))
WRAP_OBJ := $(filter-out %/own.o $(WRAPPED_OBJ),$(COLLECTOR_OBJ)) $(WRAPPED_OBJ:.o=_wrap.o)
STATIC_OBJ := $(filter-out %/own_static.o %/jump_chk_static.o,$(COLLECTOR_OBJ:.o=_static.o))
LIB_OBJ := $(call objects,$(LOADER_SRC) $(QUERY_SRC)) $(BUILD)/obj/embedded.o $(BUILD)/obj/report_page.o
CLI_OBJ := $(call objects,$(CLI_SRC))
COMMAND_OBJ = $(filter-out %/main.o,$(CLI_OBJ))
UNIT_BIN := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(UNIT_SRC))

LIBRARIES := $(addprefix $(BUILD)/,libfisql.so libfisql-values.so libfisql-faults.so libfisql-calls.so libfisql-locks.so libfisql.a libfisql_static.a libfisql_demand.a)

all: $(BUILD)/fisql libraries ## build the program and the collector (V=1 shows the commands)

libraries: $(LIBRARIES) ## build the collector alone: what recorded programs load

$(BUILD)/fisql: $(CLI_OBJ) $(LIB_OBJ)
	$(call say,LD)$(CC) $(OPT) $(SANITIZE) -o $@ $^ $(LDFLAGS) $(LIBS)

$(BUILD)/libfisql.so: $(COLLECTOR_OBJ)
	$(call say,LD)$(CC) -shared -Wl,-soname,libfisql.so -Wl,-z,now -Wl,-z,relro -o $@ $^ -ldl -lpthread

# Of the same name to the dynamic linker: a program that is linked with libfisql.so gets only one.
$(BUILD)/libfisql-values.so: $(VALUES_OBJ)
	$(call say,LD)$(CC) -shared -Wl,-soname,libfisql.so -Wl,-z,now -Wl,-z,relro -o $@ $^ -ldl -lpthread

$(BUILD)/libfisql-faults.so: $(FAULTS_OBJ)
	$(call say,LD)$(CC) -shared -Wl,-soname,libfisql.so -Wl,-z,now -Wl,-z,relro -o $@ $^ -ldl -lpthread

# Stands in front of the C library's calls where rules name some.
$(BUILD)/libfisql-calls.so: $(call objects,$(CALLS_SRC))
	$(call say,LD)$(CC) -shared -Wl,-soname,libfisql-calls.so -Wl,-z,now -Wl,-z,relro -o $@ $^ -ldl

# Stands in front of locks where they are asked for.
$(BUILD)/libfisql-locks.so: $(call objects,$(LOCKS_SRC))
	$(call say,LD)$(CC) -shared -Wl,-soname,libfisql-locks.so -Wl,-z,now -Wl,-z,relro -o $@ $^ -ldl -lpthread

$(BUILD)/libfisql.a: $(WRAP_OBJ)
	$(call say,AR)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/libfisql_static.a: $(STATIC_OBJ)
	$(call say,AR)rm -f $@ && $(AR) rcs $@ $^

# What static programs get where they ask for it.
$(BUILD)/libfisql_demand.a: $(BUILD)/obj/collector/core/jump_chk_static.o
	$(call say,AR)rm -f $@ && $(AR) rcs $@ $^

# Before anything is compiled: says what is missing in place of a compiler's errors.
$(BUILD)/needs:
	@CC='$(CC)' CPPFLAGS='$(DWARF_FLAGS) $(CPPFLAGS)' LDFLAGS='$(LDFLAGS)' LIBS='$(LIBS)' tests/needs
	@mkdir -p $(@D) && : > $@

$(BUILD)/obj/collector/%.o: collector/%.c | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(COLLECTOR_CFLAGS) -c -o $@ $<

$(BUILD)/obj/collector/%_values.o: collector/%.c | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(COLLECTOR_CFLAGS) $(VALUES_FLAGS) -c -o $@ $<

$(BUILD)/obj/collector/%_values.o: collector/%.S | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call say,AS)$(CC) $(CPPFLAGS_ALL) $(CFLAGS) -DFISQL_VALUES -MMD -MP -c -o $@ $<

$(BUILD)/obj/collector/%_faults.o: collector/%.c | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(COLLECTOR_CFLAGS) $(VALUES_FLAGS) -DFISQL_FAULTS -c -o $@ $<

$(BUILD)/obj/collector/%_faults.o: collector/%.S | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call say,AS)$(CC) $(CPPFLAGS_ALL) $(CFLAGS) -DFISQL_VALUES -DFISQL_FAULTS -MMD -MP -c -o $@ $<

$(BUILD)/obj/collector/%_wrap.o: collector/%.c | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) -DFISQL_WRAP $(COLLECTOR_CFLAGS) -c -o $@ $<

$(BUILD)/obj/collector/%_static.o: collector/%.c | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) -DFISQL_WRAP -DFISQL_STATIC $(COLLECTOR_CFLAGS) -c -o $@ $<

# What goes through each call of a log: a load takes a twentieth less.
ifeq ($(origin OPT),file)
$(call objects,$(wildcard loader/calls/*.c loader/memory/*.c loader/sqlite/*.c)): OPT = -O3 -g
endif
$(BUILD)/obj/%.o: %.c | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<

# Where make install puts the collector: these are compiled again when that changes.
PLACED := $(BUILD)/obj/cli/cmd_cc.o $(BUILD)/obj/cli/cmd_record.o
$(PLACED): CPPFLAGS_ALL += -DFISQL_PREFIX='"$(PREFIX)"'
$(PLACED): $(BUILD)/gen/prefix
$(BUILD)/gen/prefix: again
	@mkdir -p $(@D)
	@echo '$(PREFIX)' | cmp -s - $@ || echo '$(PREFIX)' > $@

# the schemas and the queries, compiled in
$(BUILD)/gen/embedded.c: queries/embed.sh $(SCHEMAS) $(SQL) queries queries/fleet queries/push queries/fold
	@mkdir -p $(@D)
	$(call say,GEN)sh queries/embed.sh $(SCHEMAS) $(sort $(SQL)) > $@.tmp && mv $@.tmp $@

$(BUILD)/obj/embedded.o: $(BUILD)/gen/embedded.c | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<

# The report's page, bundled with its libraries from npm; without npm it is empty, and tried again.
$(BUILD)/gen/report_tail.html: page/bundle.sh $(wildcard page/*) $(if $(wildcard $(BUILD)/gen/report_missing),again)
	@mkdir -p $(@D)
	$(call say,GEN)sh page/bundle.sh $(BUILD)/gen

$(BUILD)/obj/report_page.o: page/embed.sh $(BUILD)/gen/report_tail.html | $(BUILD)/needs
	@mkdir -p $(@D)
	$(if $(filter 1,$(V)),,@)sh page/embed.sh $(BUILD)/gen/report_head.html $(BUILD)/gen/report_tail.html > $(BUILD)/gen/report_page.c
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $(BUILD)/gen/report_page.c

$(BUILD)/unit/%: tests/unit/%.c $(LIB_OBJ) $(COMMAND_OBJ) $(BUILD)/libfisql.a
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MF $@.d -o $@ $< $(COMMAND_OBJ) $(LIB_OBJ) $(LIBS)

# The collector's pure parts; the test stands in for the rest.
PURE := alloc_events chunk clock count count_undo event facts hooks_slow lock_events shadow_stack thread_copy
$(BUILD)/unit/test_collector: tests/unit/test_collector.c $(foreach name,$(PURE),$(filter %/$(name).o,$(COLLECTOR_OBJ)))
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MF $@.d -o $@ $< $(filter %.o,$^)

$(BUILD)/unit/test_filter: tests/unit/test_filter.c $(BUILD)/obj/collector/core/filter.o $(BUILD)/obj/collector/core/filter_passes.o
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MF $@.d -o $@ $< $(filter %.o,$^) -lpthread

# Likewise of the one that records values.
VALUES_PURE := reserve values_capture values_expression values_lookup values_read values_recipes
$(BUILD)/unit/test_capture: tests/unit/test_capture.c $(foreach name,$(VALUES_PURE),$(filter %/$(name)_values.o,$(VALUES_OBJ)))
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -DFISQL_VALUES -MF $@.d -o $@ $< $(filter %.o,$^)

# Steps, from the loader to the collector.
$(BUILD)/unit/test_steps: tests/unit/test_steps.c $(LIB_OBJ) $(BUILD)/obj/collector/values/values_expression_values.o
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -DFISQL_VALUES -MF $@.d -o $@ $< $(BUILD)/obj/collector/values/values_expression_values.o $(LIB_OBJ) $(LIBS)

$(BUILD)/%_dump: tests/tools/%_dump.c $(LIB_OBJ)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MF $@.d -o $@ $< $(LIB_OBJ) $(LIBS)

demo: ## install what is missing, build, record an example and show what the queries answer
	@tests/setup build
	@$(MAKE) --no-print-directory -s -j2 all
	@examples/demo $(BUILD)

setup: ## install what the tests need
	@tests/setup check

check: ## install what is missing, run every test; ends with N passed, N failed (and N skipped without npm)
	@tests/setup check
	@tests/run begin $(BUILD)
	@tests/run step $(BUILD) build $(MAKE) --no-print-directory -j2 -k all units
	@tests/run page $(BUILD)
	@tests/run unit $(BUILD) $(UNIT_BIN)
	@tests/run decode $(BUILD) tests/decode/decode.sh
	@tests/run e2e $(BUILD) $(E2E)
	@tests/run queries $(BUILD) $(wildcard tests/queries/*.sh)
	@tests/run summary $(BUILD)

units: $(UNIT_BIN) $(BUILD)/symbols_dump $(BUILD)/recipes_dump

check-unit: all $(UNIT_BIN) ## unit tests
	@tests/run unit $(BUILD) $(UNIT_BIN)

check-decode: all ## small logs, event by event, and the tables that come of them
	@tests/run decode $(BUILD) tests/decode/decode.sh

check-e2e: all $(BUILD)/symbols_dump ## end-to-end tests on real programs
	@tests/run e2e $(BUILD) $(E2E)

check-queries: all ## the canned queries
	@tests/run queries $(BUILD) $(wildcard tests/queries/*.sh)

check-quick: ## the build, the demo and the unit tests alone
	@tests/setup build
	@tests/run begin $(BUILD)
	@tests/run step $(BUILD) build $(MAKE) --no-print-directory -j2 -k all units
	@tests/run step $(BUILD) demo examples/demo $(BUILD)
	@tests/run unit $(BUILD) $(UNIT_BIN)
	@tests/run summary $(BUILD)

check-compilers: all ## every packaged gcc and clang (installs them)
	@tests/setup compilers
	@tests/run begin $(BUILD)
	@tests/run e2e $(BUILD) tests/e2e/compilers.sh tests/e2e/cxx_link.sh
	@tests/run summary $(BUILD)

check-distros: ## README's commands on Debian 12, 13 and testing, each from a bare debootstrap (needs root; an hour)
	@tests/distros all

check-deb: ## build the package on a bare Debian 12, install, use and remove it on another (needs root; some minutes)
	@tests/distros deb

check-real: all ## the long tests: SQLite, zstd, Redis, nginx, git, oracles, a report of 70 million calls (not part of check; a gate)
	@tests/setup real
	@tests/gate check-real $(MAKE) --no-print-directory check-real-all

check-real-all:
	@tests/run begin $(BUILD)
	@tests/run page $(BUILD)
	@TEST_TIMEOUT=3600 tests/run real $(BUILD) $(filter-out %/gcov.sh,$(wildcard tests/real/*.sh))
	@tests/run summary $(BUILD)

check-locks: all ## Redis, zstd and our own examples with --locks: sound programs are silent (some minutes; part of check-real)
	@tests/setup real
	@tests/run begin $(BUILD)
	@TEST_TIMEOUT=3600 tests/run real $(BUILD) tests/real/locks.sh
	@tests/run summary $(BUILD)

check-fleet: all ## every query of many runs on 60 real runs: SQLite, two shards of ClickHouse and libchdb (some minutes)
	@tests/setup check
	@tests/setup fleet
	@tests/run begin $(BUILD)
	@TEST_TIMEOUT=3600 tests/run real $(BUILD) tests/real/fleet.sh
	@tests/run summary $(BUILD)

check-values: all ## arguments and results of four real programs against gdb's reading of them (an hour)
	@tests/setup values
	@tests/run begin $(BUILD)
	@TEST_TIMEOUT=7200 tests/run values $(BUILD) tests/gdb/values.sh
	@tests/run summary $(BUILD)

docs: all ## write the generated pages: docs/queries.md, docs/schema.md, docs/log-format.md, docs/fisql.1
	docs/make-queries.sh $(BUILD)/fisql > docs/queries.md.tmp && mv docs/queries.md.tmp docs/queries.md
	docs/make-schema.sh schema.sql > docs/schema.md.tmp && mv docs/schema.md.tmp docs/schema.md
	docs/make-log-format.sh formats/log.h docs/log-format.md > docs/log-format.md.tmp && mv docs/log-format.md.tmp docs/log-format.md
	docs/make-man.sh $(BUILD)/fisql > docs/fisql.1.tmp && mv docs/fisql.1.tmp docs/fisql.1

examples: all ## write the manual's examples, those of QUERIES or all, from a new recording
	docs/make-examples.sh $(BUILD)/fisql docs/examples $(QUERIES)

pictures: all ## make README's pictures, docs/pictures, from real runs
	@tests/setup check
	docs/make-pictures.sh $(BUILD)

# In a folder of its own; what libdwarf does not free is not ours.
SANITIZED = LSAN_OPTIONS=suppressions=$(CURDIR)/tests/leaks.supp:print_suppressions=0 \
  $(MAKE) --no-print-directory BUILD=$(BUILD)/asan OPT='-O1 -g' \
  SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer'

asan: ## the suite under address and undefined-behaviour sanitizers (hours; a gate)
	@tests/gate asan env TEST_TIMEOUT=3600 $(SANITIZED) check

asan-quick: ## what reads logs and databases, under the same: unit tests, decode, damaged and hostile input, loading
	@tests/setup check
	@$(SANITIZED) check-loading

# What `make asan-quick` runs. Not in it: the tests of commands, which record much and load little.
LOADING := crash damaged damaged_programs hostile hostile_db kept_blocks late_values load losses newer_sqlite no_time nothing packed \
           poisoned_caches rollups space symbols unfinished value_blocks views

check-loading:
	@tests/run begin $(BUILD)
	@tests/run step $(BUILD) build $(MAKE) --no-print-directory -j2 -k all units
	@tests/run unit $(BUILD) $(UNIT_BIN)
	@tests/run decode $(BUILD) tests/decode/decode.sh
	@tests/run e2e $(BUILD) $(LOADING:%=tests/e2e/%.sh)
	@tests/run summary $(BUILD)

gates: ## which of the long gates passed on this commit, as build/gates says: asan, lint, check-real, stress, distros
	@tests/gate

STRESS_SECONDS = 600

stress: all ## the test programs beside busy loops, with signals and stops at random instants, for STRESS_SECONDS; then 200 that are killed (a gate)
	@tests/setup check
	@tests/gate stress sh -c 'tests/stress/stress $(BUILD) --seconds $(STRESS_SECONDS) && tests/stress/kill $(BUILD)'

FUZZ_SECONDS = 36000

fuzz: all $(BUILD)/fuzz/fuzz_load ## fuzz the loader for FUZZ_SECONDS (ten hours)
	@tests/setup check
	tests/fuzz/fuzz $(BUILD) $(FUZZ_SECONDS)

$(BUILD)/fuzz/fuzz_load: tests/fuzz/fuzz_load.c $(LOADER_SRC) $(wildcard base/*.h loader/*.h loader/*/*.h live/*.h debuginfo/*/*.h formats/*.h) $(BUILD)/obj/embedded.o
	@mkdir -p $(@D)
	$(call say,CC)clang $(CPPFLAGS_ALL) -std=gnu11 -O2 -g -fno-omit-frame-pointer -fsanitize=fuzzer,address,undefined \
	  -fno-sanitize-recover=undefined -o $@ $< $(LOADER_SRC) $(BUILD)/obj/embedded.o $(LIBS)

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

bench-stacks: all ## what fisql stacks costs, and what a program of 200 threads notices of it (a minute)
	tests/bench/stacks.py $(BUILD) 4

bench-queries: all ## how long the canned queries take on some 70 million calls
	@tests/setup bench
	tests/bench/queries.py $(BUILD) 3

bench-fleet: all $(BUILD)/bench_fleet ## many runs on two shards of ClickHouse: rows in, bytes, each question (half an hour, 15 GB); with RUNS="100 1000" of so many
	@tests/setup check
	@tests/setup fleet
	tests/bench/fleet.py $(BUILD) 3 $(RUNS)

# What speaks to a server stands on the commands' objects, too.
$(BUILD)/bench_fleet: tests/bench/bench_fleet.c $(LIB_OBJ) $(COMMAND_OBJ)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MF $@.d -o $@ $< $(COMMAND_OBJ) $(LIB_OBJ) $(LIBS)

$(BUILD)/bench_%: tests/bench/bench_%.c $(LIB_OBJ)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MF $@.d -o $@ $< $(LIB_OBJ) $(LIBS)

FORMATTED = $(filter-out formats/log.h formats/events.h docs/% tests/programs/symbols/%,$(shell git ls-files "*.c" "*.h" "*.cc"))

# exec*() and FISQL_SAY may be called where nothing may be allocated; the rest cppcheck cannot read (registers, empty arguments of macros).
CPPCHECK_NOT = --suppress=allocaCalled:collector/process/exec.c --suppress=allocaCalled:collector/told/trace_say.c --suppress=missingReturn:collector/core/system_call.h \
  --suppress=constStatement:collector/core/system_call.h --suppress=preprocessorErrorDirective:collector/core/interpose.h \
  --suppress=syntaxError:collector/core/jump_chk.c

lint: ## clang-format, clang-tidy, cppcheck and shellcheck (installs what is missing; a gate)
	@tests/setup lint
	@tests/gate lint $(MAKE) --no-print-directory lint-all

lint-all: format-check
	printf '%s\n' $(COLLECTOR_SRC) $(LOADER_SRC) $(CLI_SRC) | xargs -P "$$(nproc)" -I{} clang-tidy --quiet --warnings-as-errors='*' {} \
	  -- -std=gnu11 $(CPPFLAGS_ALL) -DFISQL_PREFIX='"$(PREFIX)"'
	cppcheck -q --error-exitcode=1 --inline-suppr --enable=warning,portability $(CPPCHECK_NOT) -I. base collector debuginfo loader live cli queries
	shellcheck -x -S warning .ci/run tests/run tests/setup tests/gate tests/distros examples/demo $(wildcard tests/*/*.sh docs/*.sh queries/*.sh page/*.sh packaging/*.sh)

compdb: ## write compile_commands.json for editors
	@$(MAKE) --no-print-directory -Bnk V=1 all units CC='$(CC)' | tests/compdb > compile_commands.json

format: ## format the C sources
	clang-format -i $(FORMATTED)

format-check: ## fail where format would change something (formats/log.h, events.h and tests/programs/symbols are laid out by hand)
	clang-format --dry-run -Werror $(FORMATTED)

# One page for each command, and one of them all.
$(BUILD)/man: docs/make-man.sh $(BUILD)/fisql
	rm -rf $@ && mkdir -p $@
	docs/make-man.sh $(BUILD)/fisql > $@/fisql.1
	for command in $$($(BUILD)/fisql help --list | cut -f1 | grep -vxE 'help|version'); do \
	  docs/make-man.sh $(BUILD)/fisql $$command > $@/fisql-$$command.1 || exit 1; done
	gzip -9n $@/*.1

LIBRARY = $(DESTDIR)$(PREFIX)/lib/fisql
SHARE = $(DESTDIR)$(PREFIX)/share
install: all $(BUILD)/man ## install under $(DESTDIR)$(PREFIX)
	install -D -m 755 $(BUILD)/fisql $(DESTDIR)$(PREFIX)/bin/fisql
	install -d $(LIBRARY) $(SHARE)/man/man1 $(SHARE)/doc/fisql
	install -m 644 $(LIBRARIES) $(LIBRARY)
	install -D -m 644 collector/fisql.h $(DESTDIR)$(PREFIX)/include/fisql.h
	install -D -m 644 collector/fisql_trace.h $(DESTDIR)$(PREFIX)/include/fisql_trace.h
	install -m 644 $(BUILD)/man/*.1.gz $(SHARE)/man/man1
	install -D -m 644 cli/completion.bash $(SHARE)/bash-completion/completions/fisql
	install -m 644 README.md LICENSE packaging/copyright $(SHARE)/doc/fisql
	gzip -9nc CHANGELOG.md > $(SHARE)/doc/fisql/changelog.gz && chmod 644 $(SHARE)/doc/fisql/changelog.gz
	for file in $$(find docs tests/fixtures/words.lua -name '*.md' -o -name '*.svg' -o -name '*.png' -o -name '*.txt' -o -name '*.lua'); do \
	  install -D -m 644 $$file $(SHARE)/doc/fisql/$$file || exit 1; done

uninstall: ## remove what install put there
	rm -rf $(LIBRARY) $(SHARE)/doc/fisql
	rm -f $(DESTDIR)$(PREFIX)/bin/fisql $(DESTDIR)$(PREFIX)/include/fisql.h $(DESTDIR)$(PREFIX)/include/fisql_trace.h $(SHARE)/bash-completion/completions/fisql
	rm -f $(SHARE)/man/man1/fisql.1.gz $(SHARE)/man/man1/fisql-*.1.gz

deb: ## build a Debian package, $(BUILD)/fisql_VERSION_ARCHITECTURE.deb
	rm -rf $(BUILD)/deb
	$(MAKE) --no-print-directory -s PREFIX=/usr DESTDIR=$(abspath $(BUILD)/deb) install
	@! test -e $(BUILD)/gen/report_missing || { echo "fisql: make deb: the report's page is missing: install npm" >&2; exit 2; }
	packaging/deb.sh $(abspath $(BUILD)/deb) $(VERSION) $(BUILD)

clean: ## remove what was built
	rm -rf $(BUILD)

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 16

.PHONY: again all libraries bench bench-others bench-load bench-trace bench-queries bench-stacks bench-fleet trust fuzz stress demo setup check units check-unit check-decode check-e2e check-queries check-quick check-compilers check-distros check-loading check-real check-real-all check-locks check-fleet check-values docs examples pictures asan asan-quick gates lint lint-all compdb format format-check install uninstall deb check-deb clean help
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
