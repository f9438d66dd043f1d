# Tests: what they are made of, and what runs them. The long ones that are gates are in gates.mk.

UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT_BIN := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(UNIT_SRC))
E2E := $(filter-out %/lib.sh,$(wildcard tests/e2e/*.sh))
# What CI leaves out (FISQL_TESTS=brief): half of the processor's time. Other machines, compilers and programs, what the long
# gates load with more, the page's variants, and packages.
ifeq ($(FISQL_TESTS),brief)
E2E := $(filter-out $(patsubst %,tests/e2e/%.sh,aarch64_runs aarch64_sleds any_unwind any_values budget campaign cxx cxx_link deb \
  dist faults_paths fleet_chdb foreign_hostile hostile hostile_db hostile_live hostile_outputs load_calls lua nested newer_sqlite \
  overflows programs recipes reference report_diff report_graph rotate self_faults space stress symbols system_headers terminal \
  threads_chosen unfinished value_blocks values_aarch64 values_gdb without_npm),$(E2E))
endif

.PHONY: demo setup units check check-unit check-decode check-e2e check-queries check-quick check-compilers check-distros check-latest \
        check-deb check-real check-real-all check-locks check-fleet check-values

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

units: $(UNIT_BIN) $(BUILD)/symbols_dump $(BUILD)/recipes_dump $(BUILD)/patch_dump

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

check-latest: ## what only Debian testing has packages for: the page of notebooks whole, and Bazel (needs root; five minutes)
	@tests/distros latest

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
	@TEST_TIMEOUT=3600 tests/run real $(BUILD) tests/real/fleet.sh tests/real/fleet_clickhouse.sh
	@tests/run summary $(BUILD)

check-values: all ## arguments and results of four real programs against gdb's reading of them (an hour)
	@tests/setup values
	@tests/run begin $(BUILD)
	@TEST_TIMEOUT=7200 tests/run values $(BUILD) tests/gdb/values.sh
	@tests/run summary $(BUILD)

$(BUILD)/unit/%: tests/unit/%.c $(LIB_OBJ) $(COMMAND_OBJ) $(BUILD)/libfisql.a
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MF $@.d -o $@ $< $(COMMAND_OBJ) $(LIB_OBJ) $(LIBS)

# The collector's pure parts; the test stands in for the rest.
PURE := alloc_events chunk clock count count_undo counted event facts hooks_slow lock_events shadow_stack thread_copy
$(BUILD)/unit/test_collector: tests/unit/test_collector.c $(foreach name,$(PURE),$(filter %/$(name).o,$(COLLECTOR_OBJ)))
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MF $@.d -o $@ $< $(filter %.o,$^)

$(BUILD)/unit/test_filter: tests/unit/test_filter.c $(BUILD)/obj/collector/core/filter.o $(BUILD)/obj/collector/core/filter_passes.o
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MF $@.d -o $@ $< $(filter %.o,$^) -lpthread

# Likewise of the one that records values.
VALUES_PURE := reserve values_capture values_exit values_expression values_lookup values_read values_recipes
$(BUILD)/unit/test_capture: tests/unit/test_capture.c $(foreach name,$(VALUES_PURE),$(filter %/$(name)_values.o,$(VALUES_OBJ)))
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -DFISQL_VALUES -MF $@.d -o $@ $< $(filter %.o,$^)

# Steps, from the loader to the collector.
$(BUILD)/unit/test_steps: tests/unit/test_steps.c $(LIB_OBJ) $(BUILD)/obj/collector/values/values_expression_values.o
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -DFISQL_VALUES -MF $@.d -o $@ $< \
	  $(BUILD)/obj/collector/values/values_expression_values.o $(LIB_OBJ) $(LIBS)

$(BUILD)/%_dump: tests/tools/%_dump.c $(LIB_OBJ)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MF $@.d -o $@ $< $(LIB_OBJ) $(LIBS)
