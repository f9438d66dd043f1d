/* Modules, functions and sites of the recorded program: see program.h. */
#include "loader/program/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/must.h"
#include "base/text_pool.h"
#include "base/system_path.h"
#include "debuginfo/patch/patch_symbols.h"
#include "debuginfo/symbols/symbol_code.h"

#define ANCESTORS_MAX 64 /* forks that are followed upwards for a module */

static bool same_module(const struct program_module *module, const struct log_module *load)
{
    const char *a = module->build_id, *b = load->build_id;
    if (a != NULL || b != NULL)
        return a != NULL && b != NULL && strcmp(a, b) == 0 && strcmp(module->path, load->path) == 0;
    return strcmp(module->path, load->path) == 0;
}

static int find_module(struct program *program, const struct log_module *load, uint32_t *id,
                       struct error *error)
{
    for (size_t i = 0; i < program->modules_count; i++)
        if (same_module(&program->modules[i], load)) {
            *id = (uint32_t)i + 1;
            return 0;
        }
    if (array_reserve(&program->modules, &program->modules_capacity, program->modules_count + 1,
                      error))
        return -1;
    program->modules[program->modules_count] =
        (struct program_module){.path = load->path, .build_id = load->build_id};
    *id = (uint32_t)++program->modules_count;
    return 0;
}

int program_add_function(struct program *program, uint32_t module, uint64_t address,
                         const struct symbol_function *symbol, uint32_t *id, struct error *error)
{
    if (array_reserve(&program->functions, &program->functions_capacity,
                      program->functions_count + 1, error))
        return -1;
    program->functions[program->functions_count] =
        (struct program_function){.module = module, .address = address, .symbol = symbol};
    *id = (uint32_t)++program->functions_count;
    return 0;
}

static int read_symbols(struct program *program, const struct symbols_options *options,
                        struct error *error)
{
    for (size_t i = 0; i < program->modules_count; i++) {
        struct program_module *module = &program->modules[i];
        struct symbols_options of_module = *options;
        of_module.as_is = module->patched != 0;
        of_module.all_modules |= program->by_others;
        if (patch_symbols_open(&module->symbols, module->path, module->build_id, &of_module,
                               error) != 0)
            return -1;
        module->first_function = (uint32_t)program->functions_count + 1;
        for (size_t k = 0; k < module->symbols.functions_count; k++) {
            uint32_t id;
            const struct symbol_function *symbol = &module->symbols.functions[k];
            if (program_add_function(program, (uint32_t)i + 1, symbol->address, symbol, &id,
                                     error) != 0)
                return -1;
            /* The ids of a module's functions follow one another. */
            must(id == module->first_function + k);
        }
    }
    return 0;
}

/* Marks the functions that were not patched because threads were in them. */
static void mark_left(struct program *program)
{
    for (size_t load = 0; load < program->index->modules_count; load++) {
        const struct log_module *from = &program->index->modules[load];
        struct symbols *symbols = &program->modules[program->module_of_load[load] - 1].symbols;
        for (size_t i = 0; i < from->left_count; i++) {
            const struct symbol_range *range = symbols_range(symbols, from->left[i]);
            if (range == NULL || range->start != from->left[i])
                continue;
            symbols->functions[range->function].instrumented = false;
            symbols->functions[range->function].unpatched =
                "a thread was in its first bytes when the process was attached to";
        }
    }
}

/* Notes whether a load was patched. */
static void take_patch(struct program *program, size_t load)
{
    const struct log_module *from = &program->index->modules[load];
    struct program_module *module = &program->modules[program->module_of_load[load] - 1];
    if (from->patched > module->patched)
        module->patched = from->patched;
    if (from->unpatched != NULL)
        module->unpatched = from->unpatched;
}

int program_open(struct program *program, const struct log_index *index,
                 const struct symbols_options *options, struct error *error)
{
    *program = (struct program){.index = index,
                                .by_others = log_index_fact(index, FISQL_FACT_RUN_SOURCE) != NULL};
    pthread_mutex_init(&program->lock, NULL);
    program->module_of_load = calloc(index->modules_count + 1, sizeof *program->module_of_load);
    if (program->module_of_load == NULL)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < index->modules_count; i++)
        if (find_module(program, &index->modules[i], &program->module_of_load[i], error) != 0)
            return -1;
        else
            take_patch(program, i);
    if (read_symbols(program, options, error) != 0)
        return -1;
    mark_left(program);
    return 0;
}

void program_release(struct program *program)
{
    for (size_t i = 0; i < program->modules_count; i++)
        symbols_release(&program->modules[i].symbols);
    free(program->modules);
    free(program->module_of_load);
    free(program->functions);
    free(program->unknown_ids);
    free(program->externals);
    text_pool_release(&program->external_names);
    free(program->site_functions);
    slots_release(&program->scopes);
    intern_release(&program->unknown);
    intern_release(&program->sites);
    pthread_mutex_destroy(&program->lock);
}

static uint32_t process_by_id(const struct log_index *index, uint32_t id)
{
    for (size_t i = 0; i < index->processes_count; i++)
        if (index->processes[i].id == id)
            return (uint32_t)i;
    return UINT32_MAX;
}

/* The process that one was forked from; UINT32_MAX = none, or not in the log. */
static uint32_t forked_from(const struct log_index *index, uint32_t process)
{
    const struct log_process *child = &index->processes[process];
    bool forked = child->parent.id != 0 && child->origin != NULL &&
                  strcmp(child->origin, FISQL_ORIGIN_FORK) == 0;
    uint32_t parent = forked ? process_by_id(index, child->parent.id) : UINT32_MAX;
    return parent == process ? UINT32_MAX : parent;
}

/* The load that covers an address of a process at a tick. A forked child has its parent's modules
 * as they were at the fork. */
static const struct log_module *find_load(const struct program *program, uint32_t process,
                                          uint64_t address, uint64_t tick)
{
    const struct log_index *index = program->index;
    for (int step = 0; step < ANCESTORS_MAX; step++) {
        const struct log_module *best = NULL;
        for (size_t i = 0; i < index->modules_count; i++) {
            const struct log_module *load = &index->modules[i];
            if (load->process != process || address < load->start || address >= load->end ||
                (load->unload_tick != TICK_UNKNOWN && load->unload_tick <= tick))
                continue;
            bool begun = load->load_tick == TICK_UNKNOWN || load->load_tick <= tick;
            bool best_begun =
                best != NULL && (best->load_tick == TICK_UNKNOWN || best->load_tick <= tick);
            /* The last load that had begun; else the first one, whose record came a bit late. */
            if (best == NULL || (begun && (!best_begun || load->load_tick >= best->load_tick)))
                best = load;
        }
        if (best != NULL)
            return best;
        uint32_t parent = forked_from(index, process);
        if (parent == UINT32_MAX)
            return NULL;
        tick = index->processes[process].start_tick;
        process = parent;
    }
    return NULL;
}

static void locate(const struct program *program, uint32_t process, uint64_t address, uint64_t tick,
                   uint32_t *module, uint64_t *file_address)
{
    const struct log_module *load = find_load(program, process, address, tick);
    *module = load != NULL ? program->module_of_load[load - program->index->modules] : 0;
    *file_address = load != NULL ? address - load->bias : address;
}

static int unknown_function(struct program *program, uint32_t module, uint64_t address,
                            uint32_t *id, struct error *error)
{
    uint32_t index, before = program->unknown.count;
    if (intern_add(&program->unknown, module, address, &index, error) != 0)
        return -1;
    if (index == before) {
        if (array_reserve(&program->unknown_ids, &program->unknown_capacity, (size_t)index + 1,
                          error) != 0 ||
            program_add_function(program, module, address, NULL, &program->unknown_ids[index],
                                 error) != 0)
            return -1;
    }
    *id = program->unknown_ids[index];
    return 0;
}

const struct log_point *program_point(const struct program *program, uint32_t process,
                                      uint32_t number)
{
    const struct log_points *points = &program->index->facts.points;
    for (int step = 0; step < ANCESTORS_MAX && process != UINT32_MAX; step++) {
        uint32_t index = log_points_find(points, process, number);
        if (index != INTERN_NONE)
            return &points->items[index];
        process = forked_from(program->index, process);
    }
    uint32_t index = log_points_find(points, UINT32_MAX, number);
    return index != INTERN_NONE ? &points->items[index] : NULL;
}

static bool same_scope(const struct log_point *a, const struct log_point *b)
{
    return a->line == b->line && strcmp(a->function, b->function) == 0 &&
           strcmp(a->file, b->file) == 0;
}

/* Is it the same scope in the same place? The place counts of another tool's functions alone: several
 * static ones may have one name. */
static bool same_function(const struct program_function *function, const struct log_point *point,
                          uint32_t module, uint64_t address)
{
    return same_scope(function->point, point) &&
           (!log_point_is_function(point) ||
            (function->module == module && function->address == address));
}

/* functions.id of a scope made by hand, or of another tool's function: the same for all processes. */
static int scope_function(struct program *program, uint32_t process, const struct log_point *point,
                          uint64_t tick, uint32_t *id, struct error *error)
{
    uint64_t text = text_hash(TEXT_HASH_START, point->function, strlen(point->function) + 1);
    uint32_t hash = slots_hash(text_hash(text, point->file, strlen(point->file)), point->line);
    uint32_t module, index;
    uint64_t address;
    locate(program, process, point->address, tick, &module, &address);
    for (uint32_t at = hash; (index = slots_next(&program->scopes, hash, &at)) != SLOTS_NONE;) {
        *id = index + 1;
        if (same_function(&program->functions[index], point, module, address))
            return 0;
    }
    if (program_add_function(program, module, address, NULL, id, error) != 0)
        return -1;
    program->functions[*id - 1].point = point;
    program->functions[*id - 1].external = point->kind == FISQL_POINT_EXTERNAL;
    return slots_add(&program->scopes, hash, *id - 1, error);
}

int program_function(struct program *program, uint32_t process, uint64_t address, uint64_t tick,
                     uint32_t *id, struct error *error)
{
    uint32_t module;
    uint64_t file_address;
    int result = 0;
    const struct log_point *point =
        fisql_is_point(address) ? program_point(program, process, (uint32_t)address) : NULL;
    bool named = point != NULL && log_point_is_function(point);
    locate(program, process, named ? point->address : address, tick, &module, &file_address);
    const struct symbol_range *range =
        module != 0 ? symbols_range(&program->modules[module - 1].symbols, file_address) : NULL;
    /* The module that another tool recorded is still there: it knows the function's lines, too. */
    if (named && range != NULL && range->start == file_address)
        point = NULL;
    pthread_mutex_lock(&program->lock);
    if (point != NULL)
        result = scope_function(program, process, point, tick, id, error);
    else if (range != NULL)
        *id = program->modules[module - 1].first_function + range->function;
    else
        result = unknown_function(program, module, file_address, id, error);
    if (result == 0)
        program->functions[*id - 1].called = true;
    pthread_mutex_unlock(&program->lock);
    return result;
}

const struct symbol_function *program_symbol(const struct program *program, uint32_t process,
                                             uint64_t address, uint64_t tick)
{
    uint32_t module;
    uint64_t file_address;
    locate(program, process, address, tick, &module, &file_address);
    if (module == 0)
        return NULL;
    const struct symbols *symbols = &program->modules[module - 1].symbols;
    const struct symbol_range *range = symbols_range(symbols, file_address);
    return range != NULL && range->start == file_address ? &symbols->functions[range->function]
                                                         : NULL;
}

bool program_has_load(const struct program *program, size_t load, uint32_t process, uint64_t tick)
{
    const struct log_module *module = &program->index->modules[load];
    return find_load(program, process, module->start, tick) == module;
}

void program_function_place(struct program *program, uint32_t function, uint32_t *module,
                            uint64_t *address)
{
    pthread_mutex_lock(&program->lock);
    const struct program_function *of = &program->functions[function - 1];
    *module = of->module;
    *address = of->address;
    pthread_mutex_unlock(&program->lock);
}

const struct log_point *program_function_point(struct program *program, uint32_t function)
{
    pthread_mutex_lock(&program->lock);
    const struct log_point *point = program->functions[function - 1].point;
    pthread_mutex_unlock(&program->lock);
    return point;
}

int program_site(struct program *program, uint32_t process, uint64_t address, uint64_t tick,
                 uint32_t *id, struct error *error)
{
    uint32_t module, index;
    uint64_t file_address;
    locate(program, process, address, tick, &module, &file_address);
    pthread_mutex_lock(&program->lock);
    int result = intern_add(&program->sites, module, file_address, &index, error);
    pthread_mutex_unlock(&program->lock);
    *id = result == 0 ? index + 1 : 0;
    return result;
}

/* Lies it in a function without hooks? To be asked first: it needs no line tables. */
static bool may_be_hidden(const struct symbols *symbols, uint64_t address)
{
    const struct symbol_range *range = symbols_range(symbols, address - 1);
    return range != NULL && !symbols->functions[range->function].instrumented;
}

/* The line of a return address. Returns whether it lies in a function without hooks, and nowhere in
 * lines of the user's own. */
static bool is_hidden(struct symbols *symbols, uint64_t address, const char **file, uint32_t *line)
{
    symbols_own_line(symbols, address - 1, file, line);
    return may_be_hidden(symbols, address) && *file != NULL && system_path(*file);
}

void program_site_line(struct program *program, uint32_t site, const char **file, uint32_t *line)
{
    struct intern_key key = program->sites.keys[site - 1];
    *file = NULL;
    *line = 0;
    if (key.a == 0 || !is_hidden(&program->modules[key.a - 1].symbols, key.b, file, line))
        return;
    *file = NULL;
    *line = 0;
}

void program_read_lines(struct program *program)
{
    const char *file;
    uint32_t line;
    for (uint32_t site = 1; site <= program->sites.count; site++)
        program_site_line(program, site, &file, &line);
}

static int find_place(struct program *program, uint32_t site, uint32_t function, uint32_t *place,
                      bool *fixed, struct error *error)
{
    struct intern_key key = program->sites.keys[site - 1];
    struct program_module *module = key.a != 0 ? &program->modules[key.a - 1] : NULL;
    const char *file;
    uint32_t index, line;
    uint64_t address;
    *place = site;
    *fixed = module == NULL || !may_be_hidden(&module->symbols, key.b) ||
             !is_hidden(&module->symbols, key.b, &file, &line);
    if (*fixed || function == 0 || module->first_function == 0)
        return 0;
    const struct program_function *caller = &program->functions[function - 1];
    if (caller->module != key.a || caller->symbol == NULL)
        return 0;
    if (symbol_code_place(&module->symbols, function - module->first_function, key.b - 1, &address,
                          error) != 0)
        return -1;
    if (address == 0)
        return 0;
    if (intern_add(&program->sites, key.a, address, &index, error) != 0)
        return -1;
    *place = index + 1;
    return 0;
}

int program_place(struct program *program, uint32_t site, uint32_t function, uint32_t *place,
                  bool *fixed, struct error *error)
{
    pthread_mutex_lock(&program->lock);
    int result = find_place(program, site, function, place, fixed, error);
    pthread_mutex_unlock(&program->lock);
    return result;
}
