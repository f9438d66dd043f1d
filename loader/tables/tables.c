/* Writing the small tables: see tables.h; those of rollups are in tables_rollups.c. Each function
 * writes one table, or two that belong together. */
#include "loader/tables/tables.h"

#include "base/array.h"
#include "base/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/sqlite/insert.h"
#include "debuginfo/names/short_names.h"
#include "debuginfo/symbols/symbol_code.h"
#include "loader/tables/tables_parts.h"

static void insert_ns(struct insert *insert, const struct tables *tables, uint32_t process,
                      uint64_t tick)
{
    if (tick == TICK_UNKNOWN || process >= tables->clock->count)
        insert_null(insert);
    else
        insert_int(insert, clip(clock_ns(&tables->clock->lines[process], tick)));
}

/* The hooks' part of all times, on the processor. */
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

/* What calls were off the processor for the recording. */
static uint64_t held_ns(const struct tables *tables)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < tables->index->threads_count; i++)
        sum += tables->threads[i].hooks.held_ns;
    return sum;
}

static int write_run(const struct tables *tables, sqlite3 *database, struct error *error)
{
    const struct log_index *index = tables->index;
    const char *inside = fisql_fact_key(FISQL_FACT_PROCESS_HOOK_INSIDE_PS);
    const char *outside = fisql_fact_key(FISQL_FACT_PROCESS_HOOK_OUTSIDE_PS);
    struct insert insert;
    char number[32];
    insert_begin(&insert, database, "run", "key,value");
    for (size_t i = 0; i < index->facts.count; i++) {
        const char *key = index->facts.items[i].key, *value = index->facts.items[i].value;
        if (strcmp(key, inside) == 0 || strcmp(key, outside) == 0)
            continue;
        char *end;
        long long integer = strtoll(value, &end, 10);
        insert_text(&insert, key);
        if (value[0] != 0 && *end == 0)
            insert_int(&insert, integer);
        else
            insert_text(&insert, value);
        insert_row(&insert);
    }
    insert_text(&insert, inside);
    insert_int(&insert, clip(tables->costs->mean.inside_ps));
    insert_row(&insert);
    insert_text(&insert, outside);
    insert_int(&insert, clip(tables->costs->mean.outside_ps));
    insert_row(&insert);
    insert_text(&insert, "hook_cost_source");
    insert_text(&insert, hook_costs_source_name(tables->costs->source));
    insert_row(&insert);
    uint64_t cost_ns = taken_out_ns(tables);
    insert_text(&insert, "hook_cost_ns");
    insert_int(&insert, clip(cost_ns));
    insert_row(&insert);
    insert_text(&insert, "hook_cost_error_ns");
    insert_int(&insert, clip(hook_costs_error_ns(tables->costs, cost_ns)));
    insert_row(&insert);
    uint64_t held = held_ns(tables);
    if (held > 0) {
        insert_text(&insert, "held_ns");
        insert_int(&insert, clip(held));
        insert_row(&insert);
    }
    snprintf(number, sizeof number, "%016" PRIx64, index->run_id);
    insert_text(&insert, "run_id");
    insert_text(&insert, number);
    insert_row(&insert);
    insert_text(&insert, "complete");
    insert_int(&insert, index->losses_count == 0 && index->ring_calls == 0);
    insert_row(&insert);
    if (index->ring_calls > 0) {
        insert_text(&insert, "ring_dropped_calls");
        insert_int(&insert, clip(index->ring_calls));
        insert_row(&insert);
    }
    if (index->salvaged.live) {
        insert_text(&insert, "being_recorded");
        insert_int(&insert, 1);
        insert_row(&insert);
    }
    insert_text(&insert, "log_bytes");
    insert_int(&insert, clip(index->size_bytes));
    insert_row(&insert);
    return insert_end(&insert, error);
}

static int write_processes(const struct tables *tables, sqlite3 *database, struct error *error)
{
    const struct log_index *index = tables->index;
    struct insert insert;
    insert_begin(
        &insert, database, "processes",
        "id,pid,parent_id,origin,executable,command,start_ns,end_ns,how_ended,status,signal");
    for (size_t i = 0; i < index->processes_count; i++) {
        const struct log_process *process = &index->processes[i];
        insert_int(&insert, process->id);
        insert_int(&insert, process->pid);
        insert_id(&insert, process->parent_id);
        insert_text(&insert, process->origin);
        insert_text(&insert, process->executable);
        insert_text(&insert, process->command);
        insert_ns(&insert, tables, (uint32_t)i, process->start_tick);
        insert_ns(&insert, tables, (uint32_t)i, process->end_tick);
        insert_text(&insert, process->how);
        if (process->has_status)
            insert_int(&insert, process->status);
        else
            insert_null(&insert);
        if (process->has_signal)
            insert_int(&insert, process->signal);
        else
            insert_null(&insert);
        insert_row(&insert);
    }
    return insert_end(&insert, error);
}

static int write_threads(const struct tables *tables, sqlite3 *database, struct error *error)
{
    const struct log_index *index = tables->index;
    struct insert insert;
    insert_begin(&insert, database, "threads",
                 "id,process_id,tid,name,start_ns,end_ns,first_call_id,last_call_id,calls,"
                 "counted_calls,raw_self_ns,self_ns,wait_ns,preempted_ns,self_wait_ns,"
                 "self_preempted_ns,self_waits,paused_ns,unplaced_ns,cpu_ns");
    for (size_t i = 0; i < index->threads_count; i++) {
        const struct log_thread *thread = &index->threads[i];
        const struct decoded_thread *decoded = &tables->threads[i];
        if (thread->id == 0)
            continue;
        insert_int(&insert, thread->id);
        insert_int(&insert, index->processes[thread->process].id);
        insert_int(&insert, thread->tid);
        insert_text(&insert, thread->name);
        insert_int(&insert, clip(decoded->start_ns == UINT64_MAX ? 0 : decoded->start_ns));
        insert_int(&insert, clip(decoded->end_ns));
        insert_id(&insert, decoded->calls > 0 ? thread->first_call_id : 0);
        insert_id(&insert, decoded->calls > 0 ? thread->first_call_id + decoded->calls - 1 : 0);
        insert_int(&insert, clip(decoded->calls));
        insert_int(&insert, clip(decoded->counted));
        insert_int(&insert, clip(decoded->self.raw_ns));
        insert_int(&insert, clip(tally_self_left(&decoded->self, &decoded->off)));
        struct off_sums off = decoded->off;
        off.total = decoded->gaps.off;
        tables_insert_off(&insert, &off);
        insert_int(&insert, clip(decoded->gaps.unplaced_ns));
        if (decoded->gaps.has_cpu)
            insert_int(&insert, clip(decoded->gaps.cpu_ns));
        else
            insert_null(&insert);
        insert_row(&insert);
    }
    return insert_end(&insert, error);
}

static int write_modules(const struct tables *tables, sqlite3 *database, struct error *error)
{
    const struct program *program = tables->program;
    const struct log_index *index = tables->index;
    struct insert insert;
    insert_begin(&insert, database, "modules", "id,path,name,build_id,symbols,problem");
    for (size_t i = 0; i < program->modules_count; i++) {
        const struct program_module *module = &program->modules[i];
        insert_int(&insert, (int64_t)i + 1);
        insert_text(&insert, module->path);
        insert_text(&insert, last_part(module->path));
        insert_text(&insert, module->build_id);
        insert_text(&insert, module->symbols.source);
        insert_text(&insert, module->symbols.problem);
        insert_row(&insert);
    }
    if (insert_end(&insert, error) != 0)
        return -1;
    insert_begin(&insert, database, "mappings",
                 "module_id,process_id,bias,start_address,end_address,load_ns,unload_ns");
    for (size_t i = 0; i < index->modules_count; i++) {
        const struct log_module *load = &index->modules[i];
        insert_int(&insert, program->module_of_load[i]);
        insert_int(&insert, index->processes[load->process].id);
        insert_int(&insert, (int64_t)load->bias);
        insert_int(&insert, (int64_t)load->start);
        insert_int(&insert, (int64_t)load->end);
        insert_ns(&insert, tables, load->process, load->load_tick);
        insert_ns(&insert, tables, load->process, load->unload_tick);
        insert_row(&insert);
    }
    return insert_end(&insert, error);
}

/* ---- functions, files, sites ---- */

struct file_list {
    struct intern_text {
        char *path;
        uint32_t next;
    } * items;
    size_t count, capacity;
    bool short_of_memory; /* some have no id */
    uint32_t buckets[4096];
};

/* The id of a file's path; 0 for none, and without memory, which the list then says. */
static uint32_t file_id(struct file_list *list, const char *path)
{
    if (path == NULL)
        return 0;
    uint32_t hash = 2166136261u;
    for (const char *at = path; *at != 0; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    uint32_t *bucket = &list->buckets[hash % 4096];
    for (uint32_t at = *bucket; at != 0; at = list->items[at - 1].next)
        /* Ids in buckets are of items. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
        if (strcmp(list->items[at - 1].path, path) == 0)
            return at;
    char *copy = strdup(path);
    if (copy == NULL || array_reserve(&list->items, &list->capacity, list->count + 1, NULL) != 0) {
        free(copy);
        list->short_of_memory = true;
        return 0;
    }
    list->items[list->count] = (struct intern_text){copy, *bucket};
    *bucket = (uint32_t)++list->count;
    return *bucket;
}

static void unknown_name(const struct tables *tables, const struct program_function *function,
                         char *text, size_t size)
{
    const char *module = function->module != 0
                             ? last_part(tables->program->modules[function->module - 1].path)
                             : "unknown";
    snprintf(text, size, "%s+0x%" PRIx64, module, function->address);
}

/* functions.id - 1 of the function that all variants of a constructor or destructor stand for. */
static size_t variant_of(const struct program *program, const struct program_function *function)
{
    const struct program_module *module = &program->modules[function->module - 1];
    return module->first_function != 0 ? module->first_function - 1 + function->symbol->same_as
                                       : (size_t)(function - program->functions);
}

/* Those functions of which a variant was called; caller frees. NULL without memory. */
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

/* A function counts as instrumented where it has hooks or was called. Of the variants of one that
 * were not called only the first one counts, and only if no other was called: so that what is
 * never called is what the source has and nobody calls. */
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

/* The translation unit of each function, counted from 1 in its module, 0 = not known; caller
 * frees. NULL without memory. */
static uint32_t *function_units(const struct program *program)
{
    uint32_t *units = calloc(program->functions_count + 1, sizeof *units);
    for (size_t i = 0; units != NULL && i < program->modules_count; i++) {
        const struct program_module *module = &program->modules[i];
        uint32_t *own = units + module->first_function - 1;
        if (module->first_function == 0)
            continue;
        symbols_units(&module->symbols, own);
        for (size_t k = 0; k < module->symbols.functions_count; k++)
            own[k] = own[k] == SYMBOL_NONE ? 0 : own[k] + 1;
    }
    return units;
}

/* Name, linkage name and, where it is another, the name in full. */
static int insert_names(struct insert *insert, const char *name, const char *full,
                        const char *linkage, struct error *error)
{
    char *shown = name_without_arrow(name), *shown_full = name_without_arrow(full);
    if (shown == NULL || shown_full == NULL) {
        free(shown);
        free(shown_full);
        return error_set(error, "out of memory for a name");
    }
    bool changed = linkage == NULL && strcmp(shown_full, full) != 0;
    insert_text(insert, shown);
    insert_text(insert, strcmp(shown, shown_full) != 0 ? shown_full : NULL);
    insert_text(insert, changed ? full : linkage);
    free(shown);
    free(shown_full);
    return 0;
}

/* The function of a scope made by hand: what its macro knows. */
static int insert_scope(struct insert *insert, const struct tables *tables, size_t i,
                        const char *name, struct file_list *files, struct error *error)
{
    const struct program_function *function = &tables->program->functions[i];
    const struct log_point *point = function->point;
    const char *module =
        function->module != 0 ? tables->program->modules[function->module - 1].path : "";
    char id[32];
    insert_int(insert, (int64_t)i + 1);
    insert_id(insert, function->module);
    insert_int(insert, (int64_t)function->address);
    insert_null(insert);
    if (insert_names(insert, name, point->function, NULL, error) != 0)
        return -1;
    insert_id(insert, point->file[0] != 0 ? file_id(files, point->file) : 0);
    insert_id(insert, point->line);
    snprintf(id, sizeof id, "%016" PRIx64, symbols_stable_id(module, point->function, point->file));
    insert_text(insert, id);
    insert_null(insert);
    insert_int(insert, 0);
    insert_null(insert);
    insert_int(insert, 0);
    insert_int(insert, program_own(tables->program, function));
    return 0;
}

static int insert_function(struct insert *insert, const struct tables *tables, size_t i,
                           const char *name, struct file_list *files, struct error *error)
{
    const struct program_function *function = &tables->program->functions[i];
    const struct symbol_function *symbol = function->symbol;
    char text[4400];
    if (function->point != NULL)
        return insert_scope(insert, tables, i, name, files, error);
    unknown_name(tables, function, text, sizeof text);
    insert_int(insert, (int64_t)i + 1);
    insert_id(insert, program_booked_module(tables->program, function));
    insert_int(insert, (int64_t)function->address);
    insert_id(insert, symbol != NULL ? symbol->size : 0);
    if (insert_names(insert, symbol != NULL ? name : text, symbol != NULL ? symbol->name : text,
                     symbol != NULL ? symbol->linkage_name : NULL, error) != 0)
        return -1;
    insert_id(insert, symbol != NULL ? file_id(files, symbol->file) : 0);
    insert_id(insert, symbol != NULL ? symbol->line : 0);
    snprintf(text, sizeof text, "%016" PRIx64,
             symbol != NULL ? symbol->stable_id : function->address);
    insert_text(insert, text);
    insert_text(insert, symbol != NULL ? scope_name(symbol->scope) : NULL);
    insert_int(insert, symbol != NULL && symbol->inlined);
    if (symbol != NULL && symbol->call_targets != SYMBOL_NONE)
        insert_int(insert, symbol->call_targets);
    else
        insert_null(insert);
    insert_int(insert, symbol != NULL ? symbol->call_sources : 0);
    insert_int(insert, program_own(tables->program, function));
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
        result = point != NULL
                     ? short_names_add(&names, point->function,
                                       strchr(point->function, '(') != NULL ? "_Z" : NULL, error)
                     : short_names_add(&names, symbol != NULL ? symbol->name : "",
                                       symbol != NULL ? symbol->linkage_name : NULL, error);
    }
    if (result == 0)
        result = short_names_choose(&names, error);
    insert_begin(&insert, database, "functions",
                 "id,module_id,address,size,name,full_name,linkage_name,file_id,line,stable_id,"
                 "scope,inlined,call_targets,call_sources,own,unit,instrumented");
    for (size_t i = 0; i < program->functions_count && result == 0; i++) {
        result = insert_function(&insert, tables, i, short_names_get(&names, i), files, error);
        if (result == 0) {
            insert_id(&insert, units[i]);
            insert_int(&insert, is_instrumented(program, i, called));
            insert_row(&insert);
        }
    }
    short_names_release(&names);
    free(called);
    free(units);
    int ended = insert_end(&insert, result == 0 ? error : NULL);
    return result != 0 ? result : ended;
}

static int write_sites(const struct tables *tables, sqlite3 *database, struct file_list *files,
                       struct error *error)
{
    struct program *program = tables->program;
    struct insert insert;
    insert_begin(&insert, database, "sites",
                 "id,module_id,address,function_id,file_id,line,indirect");
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
        insert_int(&insert, (int64_t)i + 1);
        insert_id(&insert, module);
        insert_int(&insert, (int64_t)address);
        insert_id(&insert, program->site_functions[i]);
        insert_id(&insert, file_id(files, file));
        insert_id(&insert, line);
        if (call != SYMBOL_CALL_UNKNOWN)
            insert_int(&insert, call == SYMBOL_CALL_INDIRECT);
        else
            insert_null(&insert);
        insert_row(&insert);
    }
    return insert_end(&insert, error);
}

static int write_files(sqlite3 *database, const struct file_list *files, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "files", "id,path,name");
    for (size_t i = 0; i < files->count; i++) {
        const char *path = files->items[i].path;
        insert_int(&insert, (int64_t)i + 1);
        insert_text(&insert, path);
        insert_text(&insert, last_part(path));
        insert_row(&insert);
    }
    return insert_end(&insert, error);
}

static int write_program(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct file_list *files = calloc(1, sizeof *files);
    if (files == NULL)
        return error_set(error, "out of memory");
    int result = write_functions(tables, database, files, error);
    if (result == 0)
        result = write_sites(tables, database, files, error);
    if (result == 0)
        result = files->short_of_memory ? error_set(error, "out of memory for the names of files")
                                        : write_files(database, files, error);
    for (size_t i = 0; i < files->count; i++)
        free(files->items[i].path);
    free(files->items);
    free(files);
    return result;
}

/* The calls from `first` up to `end`, which each cost the same but for inside_ps more in all. */
static void insert_cost(struct insert *insert, uint32_t thread, uint64_t first, uint64_t end,
                        const struct hook_cost *cost, uint64_t inside_ps)
{
    if (first >= end)
        return;
    insert_int(insert, thread);
    insert_int(insert, clip(first));
    insert_int(insert, clip(end - 1));
    insert_int(insert, clip(cost->inside_ps + inside_ps));
    insert_int(insert, clip(cost->outside_ps));
    insert_row(insert);
}

/* The costs of a thread's calls, the last ones first. A call in which the log was written has a range
 * of its own. */
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
                ps += decoded->hooks.writes[--write].ps;
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
    insert_begin(&insert, database, "hook_costs",
                 "thread_id,first_call_id,last_call_id,inside_ps,outside_ps");
    for (size_t i = 0; i < tables->index->threads_count; i++)
        insert_costs(&insert, &tables->index->threads[i], &tables->threads[i]);
    return insert_end(&insert, error);
}

/* ---- anomalies, losses ---- */

static int write_cut_calls(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "cut_calls", "call_id,function_id,frame_id");
    for (size_t i = 0; i < tables->index->threads_count; i++) {
        const struct decoded_thread *thread = &tables->threads[i];
        uint64_t last = 0;
        for (size_t k = 0; k < thread->cut_calls.count; k++) {
            const struct decode_cut_call *call = &thread->cut_calls.items[k];
            if (call->call_id <= last)
                continue; /* open over several gaps */
            last = call->call_id;
            insert_int(&insert, clip(call->call_id));
            insert_int(&insert, call->function);
            insert_int(&insert, call->frame);
            insert_row(&insert);
        }
    }
    return insert_end(&insert, error);
}

static int write_anomalies(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct insert anomalies;
    insert_begin(&anomalies, database, "anomalies",
                 "kind,thread_id,ns,call_id,function_id,site_id,calls,detail");
    for (size_t i = 0; i < tables->index->threads_count; i++) {
        const struct decoded_thread *thread = &tables->threads[i];
        uint32_t id = tables->index->threads[i].id;
        for (size_t k = 0; k < thread->anomalies.count; k++) {
            const struct decode_anomaly *anomaly = &thread->anomalies.items[k];
            insert_text(&anomalies, anomaly->kind);
            insert_int(&anomalies, id);
            insert_int(&anomalies, clip(anomaly->ns));
            insert_id(&anomalies, anomaly->call_id);
            insert_id(&anomalies, anomaly->function);
            insert_id(&anomalies, anomaly->site);
            insert_id(&anomalies, anomaly->calls);
            insert_text(&anomalies, anomaly->detail);
            insert_row(&anomalies);
        }
    }
    return insert_end(&anomalies, error);
}

static void insert_known(struct insert *insert, uint64_t value)
{
    if (value == UINT64_MAX)
        insert_null(insert);
    else
        insert_int(insert, clip(value));
}

static int write_losses(const struct tables *tables, sqlite3 *database, struct error *error)
{
    const struct log_index *index = tables->index;
    struct insert insert;
    insert_begin(&insert, database, "losses",
                 "reason,process_id,thread_id,offset,bytes,chunks,calls,from_ns,to_ns,detail");
    for (size_t i = 0; i < index->losses_count; i++) {
        const struct log_loss *loss = &index->losses[i];
        insert_text(&insert, loss->reason);
        insert_id(&insert, loss->process_id);
        insert_id(&insert, loss->thread_id);
        insert_known(&insert, loss->offset);
        insert_known(&insert, loss->bytes);
        insert_known(&insert, loss->chunks);
        insert_known(&insert, loss->calls);
        insert_ns(&insert, tables, loss->clock_process, loss->from_tick);
        insert_ns(&insert, tables, loss->clock_process, loss->to_tick);
        insert_text(&insert, loss->detail);
        insert_row(&insert);
    }
    if (index->losses_left_out > 0) {
        char detail[64];
        snprintf(detail, sizeof detail, "%" PRIu64 " more have no row", index->losses_left_out);
        insert_text(&insert, "too many losses");
        for (int column = 0; column < 8; column++)
            insert_null(&insert);
        insert_text(&insert, detail);
        insert_row(&insert);
    }
    return insert_end(&insert, error);
}

int tables_write(const struct tables *tables, sqlite3 *database, struct error *error)
{
    int (*const parts[])(const struct tables *, sqlite3 *,
                         struct error *) = {tables_write_values,
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
