# The collector: what recorded programs load, as libraries and archives, with a set of objects for each variant.

VALUES_SRC := $(wildcard collector/values/values*.c)
CALLS_SRC := collector/faults/faults_calls.c
LOCKS_SRC := $(wildcard collector/locks/locks*.c) collector/core/own.c collector/core/reserve.c
FAULTS_SRC := $(filter-out $(CALLS_SRC),$(wildcard collector/faults/faults*.c))
COLLECTOR_SRC := $(filter-out $(VALUES_SRC) $(FAULTS_SRC) $(CALLS_SRC) collector/locks/locks%, \
        $(wildcard collector/*.c collector/*/*.c))

# The collector lives inside other people's programs: it is never sanitized or instrumented itself.
# _FORTIFY_SOURCE, which builders of packages ask for, would give functions that we define the names of others.
COLLECTOR_CFLAGS = -std=gnu11 -O2 -g $(WARN) -fno-common -MMD -MP -fPIC -fvisibility=hidden \
        -ftls-model=initial-exec -fno-builtin-malloc -fexceptions $(CFLAGS) -U_FORTIFY_SOURCE
# Bound before the program runs: a hook must not enter the dynamic linker.
SHARED = -shared -Wl,-z,now -Wl,-z,relro
# What the collector maps it can give back (collector/core/mapped.h).
MAPPED = -Wl,--wrap=mmap -Wl,--wrap=munmap -Wl,--wrap=mremap

COLLECTOR_OBJ := $(call objects,$(COLLECTOR_SRC))
# What patched functions' stubs lead to.
PATCH_OBJ := $(patsubst %.S,$(BUILD)/obj/%.o,$(wildcard collector/patch/*.S))
# AddressSanitizer finds the callers of an allocation along frame pointers, through these functions.
$(BUILD)/obj/collector/memory/%.o: COLLECTOR_CFLAGS += -fno-omit-frame-pointer
# The hooks of patched functions keep every register: the fewer they use, the less they have to save.
KEPT_REGISTERS = -ffixed-r12 -ffixed-r13 -ffixed-r14 -ffixed-r15
PATCH_FAST := $(foreach variant,_values _faults _late _wrap _static,$(BUILD)/obj/collector/patch/patch_fast$(variant).o) $(BUILD)/obj/collector/patch/patch_fast.o
ifeq ($(shell $(CC) -dumpmachine 2>/dev/null | cut -d- -f1),x86_64)
$(PATCH_FAST): COLLECTOR_CFLAGS += -mgeneral-regs-only $(KEPT_REGISTERS)
else
$(PATCH_FAST): COLLECTOR_CFLAGS += -mgeneral-regs-only
endif
# The collector that records arguments and results, too. It leaves vector registers alone (collector/values/values.h).
VALUES_OBJ := $(patsubst %.o,%_values.o,$(call objects,$(COLLECTOR_SRC) $(VALUES_SRC)) \
        $(patsubst %.S,$(BUILD)/obj/%.o,$(wildcard collector/*/*.S)))
VALUES_FLAGS = -DFISQL_VALUES -mgeneral-regs-only
# What FISQL_SAY prints may be a double, and so may a callback's argument; they are no hooks.
REALS := told/trace_say calls/call_arguments
$(foreach name,$(REALS),$(BUILD)/obj/collector/$(name)_values.o $(BUILD)/obj/collector/$(name)_faults.o): VALUES_FLAGS = -DFISQL_VALUES
# The one that makes calls fail, too (collector/faults/faults.h).
FAULTS_OBJ := $(VALUES_OBJ:%_values.o=%_faults.o) $(patsubst %.o,%_faults.o,$(call objects,$(FAULTS_SRC)))
# In a program that links libfisql.a, longjmp and the like are wrapped by the linker; in a static one
# malloc and the operators new and delete are too. Both use its C library.
WRAPPED := attach interpose library fork exec quiet seccomp plugin incident_calls incident_signals incident_stack \
        $(patsubst collector/patch/%.c,%,$(wildcard collector/patch/*.c))
WRAPPED_OBJ := $(foreach name,$(WRAPPED),$(filter %/$(name).o,$(COLLECTOR_OBJ)))
WRAP_OBJ := $(filter-out %/own.o $(WRAPPED_OBJ),$(COLLECTOR_OBJ)) $(WRAPPED_OBJ:.o=_wrap.o) \
        $(PATCH_OBJ:.o=_wrap.o)
STATIC_OBJ := $(filter-out %/own_static.o %/jump_chk_static.o,$(COLLECTOR_OBJ:.o=_static.o)) $(PATCH_OBJ:.o=_static.o)

LATE_OBJ := $(patsubst %.o,%_late.o,$(COLLECTOR_OBJ) $(PATCH_OBJ))

LIBRARIES := $(addprefix $(BUILD)/,libfisql.so libfisql-values.so libfisql-faults.so libfisql-calls.so libfisql-locks.so libfisql-late.so \
        libfisql.a libfisql_static.a libfisql_demand.a)

.PHONY: libraries
libraries: $(LIBRARIES) ## build the collector alone: what recorded programs load

$(BUILD)/libfisql.so: $(COLLECTOR_OBJ) $(PATCH_OBJ)
	$(call say,LD)$(CC) $(SHARED) $(MAPPED) -Wl,-soname,libfisql.so -o $@ $^ -ldl -lpthread

# For running processes whose C library is musl (collector/core/base.h). The build-id tells whether a process has it already.
$(BUILD)/libfisql-late.so: $(LATE_OBJ)
	$(call say,LD)$(CC) $(SHARED) $(MAPPED) -Wl,--build-id -Wl,-soname,libfisql.so -o $@ $^ -ldl -lpthread

# Of the same name to the dynamic linker: a program that is linked with libfisql.so gets only one.
$(BUILD)/libfisql-values.so: $(VALUES_OBJ)
	$(call say,LD)$(CC) $(SHARED) $(MAPPED) -Wl,-soname,libfisql.so -o $@ $^ -ldl -lpthread

$(BUILD)/libfisql-faults.so: $(FAULTS_OBJ)
	$(call say,LD)$(CC) $(SHARED) $(MAPPED) -Wl,-soname,libfisql.so -o $@ $^ -ldl -lpthread

# Stands in front of the C library's calls where rules name some.
$(BUILD)/libfisql-calls.so: $(call objects,$(CALLS_SRC))
	$(call say,LD)$(CC) $(SHARED) -Wl,-soname,libfisql-calls.so -o $@ $^ -ldl

# Stands in front of locks where they are asked for.
$(BUILD)/libfisql-locks.so: $(call objects,$(LOCKS_SRC))
	$(call say,LD)$(CC) $(SHARED) -Wl,-soname,libfisql-locks.so -o $@ $^ -ldl -lpthread

$(BUILD)/libfisql.a: $(WRAP_OBJ)
	$(call say,AR)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/libfisql_static.a: $(STATIC_OBJ)
	$(call say,AR)rm -f $@ && $(AR) rcs $@ $^

# What static programs get where they ask for it.
$(BUILD)/libfisql_demand.a: $(BUILD)/obj/collector/core/jump_chk_static.o
	$(call say,AR)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/obj/collector/%.o: collector/%.c | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(COLLECTOR_CFLAGS) -c -o $@ $<

$(BUILD)/obj/collector/%.o: collector/%.S | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call say,AS)$(CC) $(CPPFLAGS_ALL) $(CFLAGS) -MMD -MP -c -o $@ $<

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

$(BUILD)/obj/collector/%_late.o: collector/%.c | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(COLLECTOR_CFLAGS) -DFISQL_LATE -c -o $@ $<

$(BUILD)/obj/collector/%_late.o: collector/%.S | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call say,AS)$(CC) $(CPPFLAGS_ALL) $(CFLAGS) -DFISQL_LATE -MMD -MP -c -o $@ $<

$(BUILD)/obj/collector/%_wrap.o: collector/%.c | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) -DFISQL_WRAP $(COLLECTOR_CFLAGS) -c -o $@ $<

$(BUILD)/obj/collector/%_static.o: collector/%.c | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) -DFISQL_WRAP -DFISQL_STATIC $(COLLECTOR_CFLAGS) -c -o $@ $<

$(BUILD)/obj/collector/%_wrap.o: collector/%.S | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call say,AS)$(CC) $(CPPFLAGS_ALL) $(CFLAGS) -DFISQL_WRAP -MMD -MP -c -o $@ $<

$(BUILD)/obj/collector/%_static.o: collector/%.S | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call say,AS)$(CC) $(CPPFLAGS_ALL) $(CFLAGS) -DFISQL_WRAP -DFISQL_STATIC -MMD -MP -c -o $@ $<
