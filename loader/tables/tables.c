/* The small tables: see tables.h. tables_rollups.c has those of rollups. A function writes one
 * table, or two that belong together. */
#include "loader/program/program_checksums.h"
#include "loader/tables/tables.h"

#include "base/intern.h"
#include "base/must.h"
#include "base/parts.h"
#include "base/text_pool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/sqlite/insert.h"
#include "debuginfo/names/short_names.h"
#include "debuginfo/prototypes/system_calls.h"
#include "debuginfo/symbols/symbol_code.h"
#include "loader/tables/tables_parts.h"

static struct column column_ns(const char *name, const struct tables *tables, uint32_t process,
                               uint64_t tick)
{
    return tick == TICK_UNKNOWN || process >= tables->clock->count
               ? column_null(name)
               : column_count(name, clock_ns(&tables->clock->lines[process], tick));
}

/* The hooks' time on the processor, which we take out of all times. */
static uint64_t taken_out_ns(const struct tables *tables)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < tables->index->threads_count; i++) {
        const struct decoded_thread *thread = &tables->threads[i];
        uint64_t taken_ns = thread->self.raw_ns - tally_self_left(&thread->self, &thread->off);
        sum += taken_ns > thread->hooks.held_ns ? taken_ns - thread->hooks.held_ns : 0;
    }
    return sum;
}

/* How long the recording kept calls off the processor. */
static uint64_t held_ns(const struct tables *tables)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < tables->index->threads_count; i++)
        sum += tables->threads[i].hooks.held_ns;
    return sum;
}

static void insert_number(struct insert *insert, const char *key, uint64_t value)
{
    insert_row(insert, column_text("key", key), column_count("value", value));
}

static int write_run(const struct tables *tables, sqlite3 *database, struct error *error)
{
    const struct log_index *index = tables->index;
    const char *inside = fisql_fact_key(FISQL_FACT_PROCESS_HOOK_INSIDE_PS);
    const char *outside = fisql_fact_key(FISQL_FACT_PROCESS_HOOK_OUTSIDE_PS);
    uint64_t cost_ns = taken_out_ns(tables), held = held_ns(tables);
    struct insert insert;
    char number[32];
    insert_begin(&insert, database, "run");
    for (size_t i = 0; i < index->facts.count; i++) {
        const char *key = index->facts.items[i].key, *value = index->facts.items[i].value;
        if (strcmp(key, inside) == 0 || strcmp(key, outside) == 0)
            continue;
        char *end;
        long long integer = strtoll(value, &end, 10);
        insert_row(&insert, column_text("key", key),
                   value[0] != 0 && *end == 0 ? column_int("value", integer)
                                              : column_text("value", value));
    }
    insert_number(&insert, inside, tables->costs->mean.inside_ps);
    insert_number(&insert, outside, tables->costs->mean.outside_ps);
    insert_row(&insert, column_text("key", "hook_cost_source"),
               column_text("value", hook_costs_source_name(tables->costs->source)));
    insert_number(&insert, "hook_cost_ns", cost_ns);
    insert_number(&insert, "hook_cost_error_ns", hook_costs_error_ns(tables->costs, cost_ns));
    if (held > 0)
        insert_number(&insert, "held_ns", held);
    insert_number(&insert, "slice_ns", (uint64_t)1 << tables->scale->slice_shift);
    snprintf(number, sizeof number, "%016" PRIx64, index->run_id);
    insert_row(&insert, column_text("key", "run_id"), column_text("value", number));
    insert_number(&insert, "complete",
                  index->losses_count == 0 && index->ring_calls == 0 && !index->facts.earlier.any &&
                      log_index_fact(index, FISQL_FACT_RUN_CONTINUED) == NULL);
    if (index->facts.earlier.calls > 0)
        insert_number(&insert, "earlier_calls", index->facts.earlier.calls);
    if (index->ring_calls > 0)
        insert_number(&insert, "ring_dropped_calls", index->ring_calls);
    if (index->salvaged.live)
        insert_number(&insert, "being_recorded", 1);
    insert_number(&insert, "log_bytes", index->size_bytes);
    if (tables->options->calls != LOAD_CALLS_ALL) {
        char *log = realpath(tables->log_path, NULL); /* who asks for more rows reads it again */
        insert_row(
            &insert, column_text("key", "calls"),
            column_text("value", tables->options->calls == LOAD_CALLS_LONG ? "long" : "none"));
        insert_row(&insert, column_text("key", "log"),
                   column_text("value", log != NULL ? log : tables->log_path));
        free(log);
    }
    return insert_end(&insert, error);
}

static int write_processes(const struct tables *tables, sqlite3 *database, struct error *error)
{
    const struct log_index *index = tables->index;
    struct insert insert;
    insert_begin(&insert, database, "processes");
    for (size_t i = 0; i < index->processes_count; i++) {
        const struct log_process *process = &index->processes[i];
        insert_row(&insert, column_int("id", process->id), column_int("pid", process->pid),
                   column_id("parent_id", process->parent.id),
                   column_text("origin", process->origin),
                   column_text("executable", process->executable),
                   column_text("command", process->command),
                   column_ns("start_ns", tables, (uint32_t)i, process->start_tick),
                   column_ns("end_ns", tables, (uint32_t)i, process->end_tick),
                   column_text("how_ended", process->how),
                   column_int_if("status", process->has_status, process->status),
                   column_int_if("signal", process->has_signal, process->signal));
    }
    return insert_end(&insert, error);
}

static int write_threads(const struct tables *tables, sqlite3 *database, struct error *error)
{
    const struct log_index *index = tables->index;
    struct insert insert;
    insert_begin(&insert, database, "threads");
    for (size_t i = 0; i < index->threads_count; i++) {
        const struct log_thread *thread = &index->threads[i];
        const struct decoded_thread *decoded = &tables->threads[i];
        if (thread->id == 0)
            continue;
        struct off_sums off = decoded->off;
        off.total = decoded->gaps.off;
        insert_row(
            &insert, column_int("id", thread->id),
            column_int("process_id", index->processes[thread->process].id),
            column_int("tid", thread->tid), column_text("name", thread->name),
            column_count("start_ns", decoded->start_ns == UINT64_MAX ? 0 : decoded->start_ns),
            column_count("end_ns", decoded->end_ns),
            column_id("first_call_id", decoded->calls > 0 ? thread->first_call_id : 0),
            column_id("last_call_id",
                      decoded->calls > 0 ? thread->first_call_id + decoded->calls - 1 : 0),
            column_count("calls", decoded->calls), column_count("counted_calls", decoded->counted),
            column_count("raw_self_ns", decoded->self.raw_ns),
            column_count("self_ns", tally_self_left(&decoded->self, &decoded->off)),
            COLUMNS_OFF(&off), column_count("unplaced_ns", decoded->gaps.unplaced_ns),
            column_count_if("cpu_ns", decoded->gaps.has_cpu, decoded->gaps.cpu_ns),
            column_count("long_ns", picture_class_from_ns(decoded->picture.class_first)));
    }
    return insert_end(&insert, error);
}

static int write_modules(const struct tables *tables, sqlite3 *database, struct error *error)
{
    const struct program *program = tables->program;
    const struct log_index *index = tables->index;
    struct insert insert;
    insert_begin(&insert, database, "modules");
    for (size_t i = 0; i < program->modules_count; i++) {
        const struct program_module *module = &program->modules[i];
        insert_row(
            &insert, column_int("id", (int64_t)i + 1), column_text("path", module->path),
            column_text("name", last_part(module->path)), column_text("build_id", module->build_id),
            column_text("symbols", module->symbols.source),
            column_text("problem", module->symbols.problem),
            column_int_if("patched", module->patched != 0, (int64_t)module->patched),
            column_int_if("optimized",
                          module->patched != 0 && strcmp(module->symbols.source, "dwarf") == 0,
                          module->symbols.inlines),
            column_text("patch_problem", module->unpatched));
    }
    if (insert_end(&insert, error) != 0)
        return -1;
    insert_begin(&insert, database, "mappings");
    for (size_t i = 0; i < index->modules_count; i++) {
        const struct log_module *load = &index->modules[i];
        insert_row(&insert, column_int("module_id", program->module_of_load[i]),
                   column_int("process_id", index->processes[load->process].id),
                   column_int("bias", (int64_t)load->bias),
                   column_int("start_address", (int64_t)load->start),
                   column_int("end_address", (int64_t)load->end),
                   column_ns("load_ns", tables, load->process, load->load_tick),
                   column_ns("unload_ns", tables, load->process, load->unload_tick));
    }
    return insert_end(&insert, error);
}

/* ---- functions, files, sites ---- */

struct file_list {
    struct text_pool paths;
    struct intern ids;    /* files.id - 1 by the pool's text */
    bool short_of_memory; /* some files have no id */
};

/* The id of a file's path; 0 = there is none, or no memory (short_of_memory). */
static uint32_t file_id(struct file_list *list, const char *path)
{
    uint32_t index;
    if (path == NULL)
        return 0;
    const char *text = text_pool_add(&list->paths, path, strlen(path), NULL);
    if (text == NULL || intern_add(&list->ids, (uintptr_t)text, 0, &index, NULL) != 0) {
        list->short_of_memory = true;
        return 0;
    }
    return index + 1;
}

static void unknown_name(const struct tables *tables, const struct program_function *function,
                         char *text, size_t size)
{
    const char *module = function->module != 0
                             ? last_part(tables->program->modules[function->module - 1].path)
                             : "unknown";
    snprintf(text, size, "%s+0x%" PRIx64, module, function->address);
}

/* functions.id - 1 of the first variant of a constructor or destructor. */
static size_t variant_of(const struct program *program, const struct program_function *function)
{
    const struct program_module *module = &program->modules[function->module - 1];
    return module->first_function != 0 ? module->first_function - 1 + function->symbol->same_as
                                       : (size_t)(function - program->functions);
}

/* By functions.id - 1: was a variant of it called? The caller frees it. NULL without memory. */
static bool *called_variants(const struct program *program)
{
    bool *called = calloc(program->functions_count + 1, sizeof *called);
    for (size_t i = 0; called != NULL && i < program->functions_count; i++) {
        const struct program_function *function = &program->functions[i];
        if (function->called && function->symbol != NULL)
            called[variant_of(program, function)] = true;
    }
    return called;
}

/* Does the function have hooks, or was it called? Of variants that were not called only the first
 * one counts, and only if no other was called: functions that were never called should be those of
 * the source. */
static bool is_instrumented(const struct program *program, size_t i, const bool *called)
{
    const struct program_function *function = &program->functions[i];
    if (function->called || function->symbol == NULL || !function->symbol->instrumented)
        return function->called;
    size_t variant = variant_of(program, function);
    return variant == i && !called[variant];
}

static const char *scope_name(enum symbol_scope scope)
{
    switch (scope) {
    case SYMBOL_SCOPE_STATIC:
        return "static";
    case SYMBOL_SCOPE_WEAK:
        return "weak";
    case SYMBOL_SCOPE_GLOBAL:
        return "global";
    case SYMBOL_SCOPE_UNKNOWN:
        break;
    }
    return NULL;
}

/* The translation unit of each function, from 1 in its module; 0 = not known. The caller frees it.
 * NULL without memory. */
static uint32_t *function_units(const struct program *program)
{
    uint32_t *units = calloc(program->functions_count + 1, sizeof *units);
    for (size_t i = 0; units != NULL && i < program->modules_count; i++) {
        const struct program_module *module = &program->modules[i];
        uint32_t *own = units + module->first_function - 1;
        if (module->first_function == 0)
            continue;
        must(module->first_function - 1 + module->symbols.functions_count <=
             program->functions_count);
        symbols_units(&module->symbols, own);
        for (size_t k = 0; k < module->symbols.functions_count; k++)
            own[k] = own[k] == SYMBOL_NONE ? 0 : own[k] + 1;
    }
    return units;
}

/* A function's columns from its symbol, or from the macro that made the scope. */
struct function_row {
    uint32_t module, line, call_targets; /* `call_targets`: SYMBOL_NONE = not known */
    uint64_t size, stable_id;
    const char *name, *full_name, *linkage_name, *file;
    const char *scope, *unpatched;
    bool inlined;
    uint32_t call_sources, inlined_copies;
};

static struct function_row function_row_of(const struct tables *tables,
                                           const struct program_function *function,
                                           const char *name, const char *unknown)
{
    const struct symbol_function *symbol = function->symbol;
    const struct log_point *point = function->point;
    if (point != NULL) {
        const char *module =
            function->module != 0 ? tables->program->modules[function->module - 1].path : "";
        return (struct function_row){.module = function->module,
                                     .name = name,
                                     .full_name = point->function,
                                     .file = point->file[0] != 0 ? point->file : NULL,
                                     .line = point->line,
                                     .stable_id =
                                         symbols_stable_id(module, point->function, point->file),
                                     .call_targets = SYMBOL_NONE};
    }
    uint32_t module = program_booked_module(tables->program, function);
    if (symbol == NULL)
        return (struct function_row){.module = module,
                                     .name = unknown,
                                     .full_name = unknown,
                                     .stable_id = function->address,
                                     .call_targets = SYMBOL_NONE};
    return (struct function_row){.module = module,
                                 .size = symbol->size,
                                 .name = name,
                                 .full_name = symbol->name,
                                 .linkage_name = symbol->linkage_name,
                                 .file = symbol->file,
                                 .line = symbol->line,
                                 .stable_id = symbol->stable_id,
                                 .scope = scope_name(symbol->scope),
                                 .inlined = symbol->inlined,
                                 .unpatched = symbol->unpatched,
                                 .call_targets = symbol->call_targets,
                                 .call_sources = symbol->call_sources,
                                 .inlined_copies = symbol->inlined_copies};
}

/* The system call that a library's function makes; NULL = none. */
static const char *system_call(const struct program *program,
                               const struct program_function *function)
{
    bool wraps = function->external && function->symbol != NULL && function->module != 0 &&
                 system_calls_are_in(program->modules[function->module - 1].path);
    return wraps ? system_call_of(function->symbol->name) : NULL;
}

static int insert_function(struct insert *insert, const struct tables *tables, size_t i,
                           const char *name, struct file_list *files, uint32_t unit,
                           bool instrumented, struct error *error)
{
    const struct program_function *function = &tables->program->functions[i];
    char unknown[4400], id[32];
    unknown_name(tables, function, unknown, sizeof unknown);
    struct function_row row = function_row_of(tables, function, name, unknown);
    char *shown = name_without_arrow(row.name), *full = name_without_arrow(row.full_name);
    if (shown == NULL || full == NULL) {
        free(shown);
        free(full);
        return error_set(error, "out of memory for a name");
    }
    bool changed = row.linkage_name == NULL && strcmp(full, row.full_name) != 0;
    snprintf(id, sizeof id, "%016" PRIx64, row.stable_id);
    insert_row(insert, column_int("id", (int64_t)i + 1), column_id("module_id", row.module),
               column_int("address", (int64_t)function->address), column_id("size", row.size),
               column_text("name", shown),
               column_text("full_name", strcmp(shown, full) != 0 ? full : NULL),
               column_text("linkage_name", changed ? row.full_name : row.linkage_name),
               column_id("file_id", file_id(files, row.file)), column_id("line", row.line),
               column_text("stable_id", id), column_text("scope", row.scope),
               column_int("inlined", row.inlined), column_text("not_hooked", row.unpatched),
               column_int_if("call_targets", row.call_targets != SYMBOL_NONE, row.call_targets),
               column_int("call_sources", row.call_sources),
               column_int("inlined_copies", row.inlined_copies),
               column_int("own", program_own(tables->program, function)),
               column_int("external", function->external),
               column_text("system_call", system_call(tables->program, function)),
               column_id("unit", unit), column_int("instrumented", instrumented));
    free(shown);
    free(full);
    return 0;
}

static int write_functions(const struct tables *tables, sqlite3 *database, struct file_list *files,
                           struct error *error)
{
    const struct program *program = tables->program;
    struct short_names names = {0};
    struct insert insert;
    bool *called = called_variants(program);
    uint32_t *units = function_units(program);
    int result = called == NULL || units == NULL
                     ? error_set(error, "out of memory for %zu functions", program->functions_count)
                     : 0;
    for (size_t i = 0; i < program->functions_count && result == 0; i++) {
        const struct symbol_function *symbol = program->functions[i].symbol;
        const struct log_point *point = program->functions[i].point;
        /* What is no code, a slice, has any text as its name: nothing of it is left out. */
        bool code = point != NULL && (!log_point_is_function(point) || point->address != 0);
        result =
            point != NULL
                ? short_names_add(&names, point->function,
                                  code && strchr(point->function, '(') != NULL ? "_Z" : NULL, error)
                : short_names_add(&names, symbol != NULL ? symbol->name : "",
                                  symbol != NULL ? symbol->linkage_name : NULL, error);
    }
    if (result == 0)
        result = short_names_choose(&names, error);
    insert_begin(&insert, database, "functions");
    for (size_t i = 0; i < program->functions_count && result == 0; i++) {
        result = insert_function(&insert, tables, i, short_names_get(&names, i), files, units[i],
                                 is_instrumented(program, i, called), error);
    }
    short_names_release(&names);
    free(called);
    free(units);
    return insert_end_after(&insert, result, error);
}

static int write_sites(const struct tables *tables, sqlite3 *database, struct file_list *files,
                       struct error *error)
{
    struct program *program = tables->program;
    struct insert insert;
    must(program->sites.count == 0 || program->site_functions != NULL); /* program_name_sites() */
    insert_begin(&insert, database, "sites");
    for (uint32_t i = 0; i < program->sites.count; i++) {
        uint32_t module = (uint32_t)program->sites.keys[i].a, line = 0;
        uint64_t address = program->sites.keys[i].b;
        const char *file = NULL;
        enum symbol_call call = SYMBOL_CALL_UNKNOWN;
        if (module != 0) {
            struct symbols *symbols = &program->modules[module - 1].symbols;
            program_site_line(program, i + 1, &file, &line);
            call = symbol_code_call(symbols, address);
        }
        insert_row(
            &insert, column_int("id", (int64_t)i + 1), column_id("module_id", module),
            column_int("address", (int64_t)address),
            column_id("function_id", program->site_functions[i]),
            column_id("file_id", file_id(files, file)), column_id("line", line),
            column_int_if("indirect", call != SYMBOL_CALL_UNKNOWN, call == SYMBOL_CALL_INDIRECT));
    }
    return insert_end(&insert, error);
}

static int write_files(const struct tables *tables, sqlite3 *database,
                       const struct file_list *files, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "files");
    for (uint32_t i = 0; i < files->ids.count; i++) {
        const char *path = (const char *)(uintptr_t)files->ids.keys[i].a;
        insert_row(&insert, column_int("id", (int64_t)i + 1), column_text("path", path),
                   column_text("name", last_part(path)),
                   column_text("md5", program_checksum_of(tables->checksums, path)));
    }
    return insert_end(&insert, error);
}

static int write_program(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct file_list files = {.short_of_memory = false};
    int result = write_functions(tables, database, &files, error);
    if (result == 0)
        result = write_sites(tables, database, &files, error);
    if (result == 0)
        result = files.short_of_memory ? error_set(error, "out of memory for the names of files")
                                       : write_files(tables, database, &files, error);
    intern_release(&files.ids);
    text_pool_release(&files.paths);
    return result;
}

/* The calls from `first` to `end` - 1. Each has this cost, and inside_ps in addition. */
static void insert_cost(struct insert *insert, uint32_t thread, uint64_t first, uint64_t end,
                        const struct hook_cost *cost, uint64_t inside_ps)
{
    if (first >= end)
        return;
    insert_row(insert, column_int("thread_id", thread), column_count("first_call_id", first),
               column_count("last_call_id", end - 1),
               column_count("inside_ps", cost->inside_ps + inside_ps),
               column_count("outside_ps", cost->outside_ps));
}

/* The costs of a thread's calls, the last ones first. A call that wrote the log has a range of its
 * own. */
static void insert_costs(struct insert *insert, const struct log_thread *thread,
                         const struct decoded_thread *decoded)
{
    uint64_t end = thread->first_call_id + decoded->calls;
    size_t write = decoded->hooks.writes_count;
    for (size_t k = decoded->hooks.costs_count; k-- > 0;) {
        const struct decode_cost *cost = &decoded->hooks.costs[k];
        while (write > 0 && decoded->hooks.writes[write - 1].call_id >= cost->first_call) {
            uint64_t call = decoded->hooks.writes[write - 1].call_id, ps = 0;
            while (write > 0 && decoded->hooks.writes[write - 1].call_id == call)
                ps += 1000 * decoded->hooks.writes[--write].ns;
            insert_cost(insert, thread->id, call + 1, end, &cost->cost, 0);
            insert_cost(insert, thread->id, call, call + 1, &cost->cost, ps);
            end = call;
        }
        insert_cost(insert, thread->id, cost->first_call, end, &cost->cost, 0);
        end = cost->first_call < end ? cost->first_call : end;
    }
}

static int write_hook_costs(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "hook_costs");
    for (size_t i = 0; i < tables->index->threads_count; i++)
        insert_costs(&insert, &tables->index->threads[i], &tables->threads[i]);
    return insert_end(&insert, error);
}

/* ---- anomalies, losses ---- */

static int write_cut_calls(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "cut_calls");
    for (size_t i = 0; i < tables->index->threads_count; i++) {
        const struct decoded_thread *thread = &tables->threads[i];
        uint64_t last = 0;
        for (size_t k = 0; k < thread->cut_calls.count; k++) {
            const struct decode_cut_call *call = &thread->cut_calls.items[k];
            if (call->call_id <= last)
                continue; /* open over several gaps */
            last = call->call_id;
            insert_row(&insert, column_count("call_id", call->call_id),
                       column_int("function_id", call->function),
                       column_int("frame_id", call->frame));
        }
    }
    return insert_end(&insert, error);
}

static int write_anomalies(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct insert insert;
    struct table_records records = table_records(tables, 1u << DECODE_ANOMALY);
    insert_begin(&insert, database, "anomalies");
    while (table_records_next(&records)) {
        const struct decode_record *record = records.record;
        insert_row(&insert, column_text("kind", record->anomaly.kind),
                   column_int("thread_id", records.thread_id), column_count("ns", record->ns),
                   column_id("call_id", record->call_id),
                   column_id("function_id", record->anomaly.function),
                   column_id("site_id", record->site), column_id("calls", record->anomaly.calls));
    }
    return insert_end(&insert, error);
}

static struct column column_known(const char *name, uint64_t value)
{
    return column_count_if(name, value != UINT64_MAX, value);
}

static void write_loss(struct insert *insert, const struct tables *tables,
                       const struct log_loss *loss)
{
    insert_row(insert, column_text("reason", loss->reason),
               column_id("process_id", loss->process_id), column_id("thread_id", loss->thread_id),
               column_known("offset", loss->offset), column_known("bytes", loss->bytes),
               column_known("chunks", loss->chunks), column_known("calls", loss->calls),
               column_ns("from_ns", tables, loss->clock_process, loss->from_tick),
               column_ns("to_ns", tables, loss->clock_process, loss->to_tick),
               column_text("detail", loss->detail));
}

static int write_losses(const struct tables *tables, sqlite3 *database, struct error *error)
{
    const struct log_index *index = tables->index;
    struct insert insert;
    insert_begin(&insert, database, "losses");
    for (size_t i = 0; i < index->losses_count; i++)
        write_loss(&insert, tables, &index->losses[i]);
    if (index->losses_left_out > 0) {
        char detail[64];
        struct log_loss left_out = log_loss_of("too many losses");
        left_out.detail = detail;
        snprintf(detail, sizeof detail, "%" PRIu64 " more have no row", index->losses_left_out);
        write_loss(&insert, tables, &left_out);
    }
    return insert_end(&insert, error);
}

int tables_write(const struct tables *tables, sqlite3 *database, struct error *error)
{
    table_writer *const parts[] = {tables_write_last_calls,
                                   tables_write_values,
                                   tables_write_rollups,
                                   tables_write_context_edges,
                                   write_run,
                                   write_processes,
                                   write_threads,
                                   write_modules,
                                   write_program,
                                   tables_write_notes,
                                   write_anomalies,
                                   write_losses,
                                   write_cut_calls,
                                   tables_write_changes,
                                   tables_write_gaps,
                                   tables_write_slices,
                                   write_hook_costs,
                                   tables_write_faults,
                                   tables_write_incidents,
                                   tables_write_objects,
                                   tables_write_locks};
    int result = 0;
    for (size_t i = 0; result == 0 && i < sizeof parts / sizeof parts[0]; i++)
        result = parts[i](tables, database, error);
    return result;
}
