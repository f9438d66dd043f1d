# The program fisql: the commands, the loader, and what is compiled in: schemas, SQL and the page of the report.

LOADER_SRC := $(wildcard base/*.c loader/*.c loader/*/*.c live/*.c debuginfo/*/*.c)
QUERY_SRC := $(wildcard queries/*.c)
CLI_SRC := $(wildcard cli/*.c cli/*/*.c)
SCHEMAS := schema.sql cli/fleet/schema_fleet.sql cli/fleet/schema_clickhouse.sql
QUERIES_SQL := $(wildcard queries/*.sql queries/fleet/*.sql queries/push/*.sql queries/fold/*.sql)
# The statements of commands and of the loader, each beside its C file.
STATEMENTS_SQL := $(filter-out $(SCHEMAS),$(wildcard cli/*.sql cli/*/*.sql loader/*/*.sql))

LIB_OBJ := $(call objects,$(LOADER_SRC) $(QUERY_SRC)) $(BUILD)/obj/embedded.o $(BUILD)/obj/flag_names.o $(BUILD)/obj/system_call_names.o $(BUILD)/obj/report_page.o
CLI_OBJ := $(call objects,$(CLI_SRC))
COMMAND_OBJ = $(filter-out %/main.o,$(CLI_OBJ))

$(BUILD)/fisql: $(CLI_OBJ) $(LIB_OBJ)
	$(call say,LD)$(CC) $(OPT) $(SANITIZE) -o $@ $^ $(LDFLAGS) $(LIBS)

# What goes through each call of a log: a load takes a twentieth less.
ifeq ($(origin OPT),file)
$(call objects,$(wildcard loader/calls/*.c loader/memory/*.c loader/sqlite/*.c)): OPT = -O3 -g
endif

$(BUILD)/obj/%.o: %.c | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<

# Where make install puts the collector: these are compiled again when that changes.
PLACED := $(BUILD)/obj/cli/cmd_cc.o $(BUILD)/obj/cli/cmd_record.o $(BUILD)/obj/cli/record/collector_place.o $(BUILD)/obj/base/installed.o
$(PLACED): CPPFLAGS_ALL += -DFISQL_PREFIX='"$(PREFIX)"'
$(PLACED): $(BUILD)/gen/prefix
$(BUILD)/gen/prefix: again
	@mkdir -p $(@D)
	@echo '$(PREFIX)' | cmp -s - $@ || echo '$(PREFIX)' > $@

# The schemas, the queries and the statements, compiled in.
$(BUILD)/gen/embedded.c: queries/embed.sh $(SCHEMAS) $(QUERIES_SQL) $(STATEMENTS_SQL) \
                         queries queries/fleet queries/push queries/fold
	@mkdir -p $(@D)
	$(call say,GEN)sh queries/embed.sh $(SCHEMAS) $(sort $(QUERIES_SQL)) $(STATEMENTS_SQL) > $@.tmp && mv $@.tmp $@

$(BUILD)/obj/embedded.o: $(BUILD)/gen/embedded.c | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<

# Names of flags, from the system's headers.
$(BUILD)/gen/flag_names.c: debuginfo/expressions/flag_names.sh
	@mkdir -p $(@D)
	$(call say,GEN)sh debuginfo/expressions/flag_names.sh $(CC) > $@.tmp && mv $@.tmp $@

# Names of system calls, from there, too.
$(BUILD)/gen/system_call_names.c: debuginfo/prototypes/system_calls.sh
	@mkdir -p $(@D)
	$(call say,GEN)sh $< $(CC) > $@.tmp && mv $@.tmp $@

$(BUILD)/obj/flag_names.o $(BUILD)/obj/system_call_names.o: $(BUILD)/obj/%.o: $(BUILD)/gen/%.c | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<

# Prototypes of well-known libraries, as debug information.
$(BUILD)/prototypes/made: debuginfo/prototypes/prototypes.sh debuginfo/prototypes/prototypes.awk | $(BUILD)/needs
	$(call say,GEN)for name in c z sqlite3 ssl; do sh debuginfo/prototypes/prototypes.sh $$name $(@D) $(CC) || exit 1; done
	@: > $@

# The report's page, bundled with its libraries from npm; without npm it is empty, and tried again.
$(BUILD)/gen/report_tail.html: page/bundle.sh $(wildcard page/*) $(if $(wildcard $(BUILD)/gen/report_missing),again)
	@mkdir -p $(@D)
	$(call say,GEN)sh page/bundle.sh $(BUILD)/gen

$(BUILD)/obj/report_page.o: page/embed.sh $(BUILD)/gen/report_tail.html | $(BUILD)/needs
	@mkdir -p $(@D)
	$(if $(filter 1,$(V)),,@)sh page/embed.sh $(BUILD)/gen > $(BUILD)/gen/report_page.c
	$(call say,CC)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $(BUILD)/gen/report_page.c
