# Long gates and what lints: sanitizers, stress, fuzzing, formatting, compile_commands.json.

.PHONY: asan asan-quick check-loading gates stress fuzz fuzz-foreign fuzz-serve lint lint-changed lint-all compdb format format-check

# In a folder of its own; what libdwarf does not free is not ours.
SANITIZED = LSAN_OPTIONS=suppressions=$(CURDIR)/tests/leaks.supp:print_suppressions=0 \
  $(MAKE) --no-print-directory BUILD=$(BUILD)/asan OPT='-O1 -g' \
  SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer'

# What shows nothing under sanitizers: it compiles, or reads the project's own files, or what other tests load with
# instructions of another machine.
UNSANITIZED := aarch64 aarch64_runs aarch64_sleds build_systems comparison compilers cxx_link deb dist docs make needs packaging \
               readme tidy values_aarch64 without_npm

asan: ## the suite under address and undefined-behaviour sanitizers (hours; a gate)
	@tests/gate asan env TEST_TIMEOUT=3600 $(SANITIZED) check E2E='$(filter-out $(UNSANITIZED:%=tests/e2e/%.sh),$(E2E))'

asan-quick: ## what reads logs and databases, under the same: unit tests, decode, damaged and hostile input, loading
	@tests/setup check
	@FISQL_TESTS=brief $(SANITIZED) check-loading

# What `make asan-quick` runs. Not in it: the tests of commands, which record much and load little.
LOADING := crash damaged damaged_programs hostile kept_blocks load losses no_time poisoned_caches

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

fuzz-foreign: all $(BUILD)/fuzz/fuzz_load ## the same with other tools' recordings alone
	@tests/setup check
	tests/fuzz/fuzz $(BUILD) $(FUZZ_SECONDS) foreign

SERVE_FUZZ_SECONDS = 600

fuzz-serve: all ## fuzz what fisql serve answers, of sound and hostile databases, under sanitizers for SERVE_FUZZ_SECONDS (ten minutes)
	@tests/setup check
	@$(SANITIZED) $(BUILD)/asan/fisql
	tests/fuzz/fuzz_serve $(BUILD) $(SERVE_FUZZ_SECONDS)

$(BUILD)/fuzz/fuzz_load: tests/fuzz/fuzz_load.c $(LOADER_SRC) $(BUILD)/obj/embedded.o $(BUILD)/obj/flag_names.o $(BUILD)/obj/system_call_names.o \
                         $(wildcard base/*.h loader/*.h loader/*/*.h live/*.h debuginfo/*/*.h formats/*.h)
	@mkdir -p $(@D)
	$(call say,CC)clang $(CPPFLAGS_ALL) -std=gnu11 -O2 -g -fno-omit-frame-pointer -fsanitize=fuzzer,address,undefined \
	  -fno-sanitize-recover=undefined -o $@ $< $(LOADER_SRC) $(BUILD)/obj/embedded.o $(BUILD)/obj/flag_names.o $(BUILD)/obj/system_call_names.o $(LIBS)

FORMATTED = $(filter-out formats/log.h formats/events.h docs/% tests/programs/symbols/%,$(shell git ls-files "*.c" "*.h" "*.cc"))

# exec*() and FISQL_SAY may be called where nothing may be allocated; the rest cppcheck cannot read (registers, empty arguments
# of macros).
CPPCHECK_NOT = $(addprefix --suppress=, \
  allocaCalled:collector/process/exec.c allocaCalled:collector/told/trace_say.c allocaCalled:collector/patch/patch_backtrace.c \
  missingReturn:collector/core/system_call.h constStatement:collector/core/system_call.h \
  preprocessorErrorDirective:collector/core/interpose.h syntaxError:collector/core/jump_chk.c)

lint: ## clang-format, clang-tidy, cppcheck and shellcheck (installs what is missing; a gate)
	@tests/setup lint
	@tests/gate lint $(MAKE) --no-print-directory lint-all

# clang-tidy takes three seconds a file, cppcheck one: with LINT_SINCE=COMMIT they read what changed since then, and all
# where there is no such commit.
LINTED_SRC = $(COLLECTOR_SRC) $(LOADER_SRC) $(CLI_SRC)
CHECKED_SRC = base collector debuginfo loader live cli queries
ifneq ($(LINT_SINCE),)
LINT_CHANGED := $(shell git rev-parse -q --verify '$(LINT_SINCE)^{commit}' >/dev/null && git diff --name-only '$(LINT_SINCE)' -- '*.c' || echo all)
LINTED = $(if $(filter all,$(LINT_CHANGED)),$(LINTED_SRC),$(filter $(LINT_CHANGED),$(LINTED_SRC)))
CHECKED = $(if $(filter all,$(LINT_CHANGED)),$(CHECKED_SRC),$(filter $(CHECKED_SRC:%=%/%),$(wildcard $(LINT_CHANGED))))
else
LINTED = $(LINTED_SRC)
CHECKED = $(CHECKED_SRC)
endif

lint-changed: ## the same, clang-tidy and cppcheck for what the last 20 commits changed
	@tests/setup lint
	@$(MAKE) --no-print-directory lint-all LINT_SINCE=HEAD~20

lint-all: format-check
	printf '%s\n' $(LINTED) | xargs -r -P "$$(nproc)" -I{} clang-tidy --quiet --warnings-as-errors='*' {} \
	  -- -std=gnu11 $(CPPFLAGS_ALL) -DFISQL_PREFIX='"$(PREFIX)"'
	printf '%s\n' $(CHECKED) | xargs -r cppcheck -q --error-exitcode=1 --inline-suppr --enable=warning,portability $(CPPCHECK_NOT) -I.
	shellcheck -x -S warning .ci/run tests/run tests/setup tests/gate tests/distros examples/demo \
	  $(wildcard tests/*/*.sh docs/*.sh queries/*.sh page/*.sh packaging/*.sh debuginfo/*/*.sh)

compdb: ## write compile_commands.json for editors
	@$(MAKE) --no-print-directory -Bnk V=1 all units CC='$(CC)' | tests/compdb > compile_commands.json

format: ## format the C sources
	clang-format -i $(FORMATTED)

format-check: ## fail where format would change something (formats/log.h, events.h and tests/programs/symbols are laid out by hand)
	clang-format --dry-run -Werror $(FORMATTED)
