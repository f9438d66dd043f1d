/* Types of parameters and names of pointers: see value_types.h. */
#include "loader/values/value_types.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debuginfo/names/short_name.h"
#include "debuginfo/prototypes/exported_symbols.h"

int value_types_init(struct value_types *types, struct program *program,
                     const struct symbols_options *options, struct error *error)
{
    *types = (struct value_types){
        .program = program, .options = *options, .modules_count = program->modules_count};
    pthread_mutex_init(&types->lock, NULL);
    const char *asked = log_index_fact(program->index, FISQL_FACT_RUN_EXPRESSIONS);
    if (asked != NULL && expressions_read(&types->expressions, asked, error) != 0)
        return -1;
    types->of_modules = calloc(types->modules_count + 1, sizeof(struct parameters *));
    if (types->of_modules == NULL)
        return error_set(error, "out of memory");
    return 0;
}

void value_types_release(struct value_types *types)
{
    if (types->program == NULL)
        return;
    for (size_t i = 0; types->of_modules != NULL && i < types->modules_count; i++)
        parameters_close(types->of_modules[i]);
    for (size_t i = 0; types->of_variables != NULL && i < types->modules_count; i++)
        data_symbols_close(&types->of_variables[i]);
    for (size_t i = 0; i < types->points_count; i++) {
        free(types->of_points[i].items);
        free(types->of_points[i].names);
    }
    free(types->of_points);
    intern_release(&types->point_of);
    free(types->of_variables);
    free(types->of_modules);
    free(types->named);
    expressions_release(&types->expressions);
    pthread_mutex_destroy(&types->lock);
    *types = (struct value_types){.program = NULL};
}

/* The program that was started, if it is a module; it declares what it calls in others. */
static const struct program_module *started(const struct value_types *types)
{
    const struct log_index *index = types->program->index;
    const char *path = index->processes_count > 0 ? index->processes[0].executable : NULL;
    for (size_t i = 0; path != NULL && i < types->modules_count; i++)
        if (strcmp(types->program->modules[i].path, path) == 0)
            return &types->program->modules[i];
    return NULL;
}

/* Reads the parameters and results of a module's functions, and the requested expressions. */
static int read_module(struct value_types *types, const struct program_module *module,
                       struct parameters **read, struct error *error)
{
    struct expression_matches matches = {.registers = module->patched != 0};
    const struct program_module *program = started(types);
    struct symbols_options options = types->options;
    const char *wanted = log_index_fact(types->program->index, FISQL_FACT_RUN_VALUES);
    options.external = !module->symbols.instrumented;
    options.system_calls = wanted != NULL && strcmp(wanted, FISQL_VALUES_SYSTEM_CALLS) == 0;
    if ((module->patched != 0 || options.external) && program != NULL && program != module) {
        options.declared_by = program->path;
        options.declared_by_id = program->build_id;
    }
    struct symbols exported = {.source = NULL};
    int result = 0;
    if (options.external && types->expressions.count > 0)
        result = exported_symbols_open(&exported, module->path, module->build_id, &options, error);
    if (result == 0)
        result = expressions_match(
            &types->expressions, options.external ? &exported : &module->symbols, &matches, error);
    if (result == 0)
        result = parameters_open(read, module->path, module->build_id, &options, NULL, 0, &matches,
                                 error);
    free(matches.items);
    symbols_release(&exported);
    return result;
}

/* Parameters by the names that a point has, a line each. */
static int read_names(const char *names, struct point_parameters *out, struct error *error)
{
    static const struct parameter_type unknown = {.kind = PARAMETER_UNKNOWN};
    size_t capacity = 0;
    *out = (struct point_parameters){.names = strdup(names)};
    if (out->names == NULL)
        return error_set(error, "out of memory");
    char *rest = out->names;
    for (char *name = NULL; (name = strsep(&rest, "\n")) != NULL;) {
        struct parameter parameter = {
            .position = (uint32_t)out->count + 1, .name = name, .type_name = "?", .type = &unknown};
        if (array_add(&out->items, &out->count, &capacity, parameter, error) != 0)
            return -1;
    }
    return 0;
}

/* The parameters of a function of another tool's recording; the lock is held. */
static int point_parameters(struct value_types *types, uint32_t function,
                            const struct log_point *point, const struct parameter **parameters,
                            size_t *count, struct error *error)
{
    uint32_t index;
    if (point->values == NULL)
        return 0;
    if (intern_add(&types->point_of, function, 0, &index, error) != 0 ||
        array_reserve(&types->of_points, &types->points_capacity, (size_t)index + 1, error) != 0)
        return -1;
    if (index == types->points_count) {
        types->points_count++;
        if (read_names(point->values, &types->of_points[index], error) != 0)
            return -1;
    }
    *parameters = types->of_points[index].items;
    *count = types->of_points[index].count;
    return 0;
}

int value_types_of(struct value_types *types, uint32_t function,
                   const struct parameter **parameters, size_t *count, struct error *error)
{
    uint32_t module;
    uint64_t address;
    *parameters = NULL;
    *count = 0;
    const struct log_point *point = program_function_point(types->program, function);
    if (point != NULL && log_point_is_function(point)) {
        pthread_mutex_lock(&types->lock);
        int failed = point_parameters(types, function, point, parameters, count, error);
        pthread_mutex_unlock(&types->lock);
        return failed;
    }
    program_function_place(types->program, function, &module, &address);
    if (module == 0 || module > types->modules_count)
        return 0;
    const struct program_module *of = &types->program->modules[module - 1];
    struct parameters **read = &types->of_modules[module - 1];
    pthread_mutex_lock(&types->lock);
    int result = *read != NULL ? 0 : read_module(types, of, read, error);
    if (result == 0)
        *parameters = parameters_of(*read, address, count);
    pthread_mutex_unlock(&types->lock);
    return result;
}

/* ---- where names are ---- */

static int by_start(const void *left, const void *right)
{
    const struct address_range *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

/* Sorts ranges and joins those that touch. */
static size_t fold(struct address_range *ranges, size_t count)
{
    size_t kept = 0;
    qsort(ranges, count, sizeof *ranges, by_start);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && ranges[i].start <= ranges[kept - 1].end) {
            if (ranges[i].end > ranges[kept - 1].end)
                ranges[kept - 1].end = ranges[i].end;
        } else {
            ranges[kept++] = ranges[i];
        }
    }
    return kept;
}

/* Reads all modules' variables, and where modules lay. */
static int find_named(struct value_types *types, struct error *error)
{
    const struct log_index *index = types->program->index;
    types->of_variables = calloc(types->modules_count + 1, sizeof *types->of_variables);
    types->named = malloc((2 * index->modules_count + 1) * sizeof *types->named);
    if (types->of_variables == NULL || types->named == NULL)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < types->modules_count; i++) {
        const struct program_module *module = &types->program->modules[i];
        if (data_symbols_open(&types->of_variables[i], module->path, module->build_id,
                              &types->options, error) != 0)
            return -1;
    }
    size_t count = 0;
    for (size_t i = 0; i < index->modules_count; i++) {
        const struct log_module *load = &index->modules[i];
        uint32_t module = types->program->module_of_load[i];
        if (load->start < load->end)
            types->named[count++] = (struct address_range){load->start, load->end};
        if (module == 0)
            continue;
        const struct data_symbols *variables = &types->of_variables[module - 1];
        if (variables->count > 0 && variables->end + load->bias > variables->start + load->bias)
            types->named[count++] =
                (struct address_range){variables->start + load->bias, variables->end + load->bias};
    }
    types->named_count = fold(types->named, count);
    return 0;
}

/* Runs before we look for the first pointer's name. */
static int prepare(struct value_types *types, struct error *error)
{
    int result = 0;
    if (__atomic_load_n(&types->prepared, __ATOMIC_ACQUIRE))
        return 0;
    pthread_mutex_lock(&types->lock);
    if (!types->prepared)
        result = find_named(types, error);
    if (result == 0)
        __atomic_store_n(&types->prepared, true, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&types->lock);
    return result;
}

/* ---- names ---- */

void pointer_names_clear(struct pointer_names *names)
{
    for (uint32_t i = 0; names->items != NULL && i < POINTER_NAMES; i++) {
        free(names->items[i].name);
        names->items[i] = (struct pointer_name){0};
    }
}

void pointer_names_release(struct pointer_names *names)
{
    pointer_names_clear(names);
    free(names->items);
    names->items = NULL;
}

static bool lies_in_module(const struct value_types *types, uint64_t address)
{
    size_t low = 0, high = types->named_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (address < types->named[middle].start)
            high = middle;
        else if (address >= types->named[middle].end)
            low = middle + 1;
        else
            return true;
    }
    return false;
}

static char *function_name(const struct symbol_function *symbol)
{
    bool mangled = symbol->linkage_name != NULL && short_name_applies(symbol->linkage_name);
    return mangled ? short_name(symbol->name, false) : strdup(symbol->name);
}

/* `exit`, `&table`, `&table+8` */
static char *symbol_name(const struct data_symbol *symbol, uint64_t address)
{
    char *name = data_symbol_name(symbol), *text = NULL;
    int length = -1;
    if (symbol->is_function)
        return name;
    if (name != NULL && address == symbol->address)
        length = asprintf(&text, "&%s", name);
    else if (name != NULL)
        length = asprintf(&text, "&%s+%" PRIu64, name, address - symbol->address);
    free(name);
    return length >= 0 ? text : NULL;
}

/* The variable at an address of a process at a tick, or the function that begins there. */
static const struct data_symbol *find_symbol(const struct value_types *types, uint32_t process,
                                             uint64_t address, uint64_t tick, uint64_t *bias,
                                             uint32_t *found_in)
{
    const struct log_index *index = types->program->index;
    for (size_t i = 0; i < index->modules_count; i++) {
        uint32_t module = types->program->module_of_load[i];
        *bias = index->modules[i].bias;
        if (module == 0 || address - *bias < types->of_variables[module - 1].start ||
            address - *bias >= types->of_variables[module - 1].end ||
            !program_has_load(types->program, i, process, tick))
            continue;
        const struct data_symbol *found =
            data_symbols_find(&types->of_variables[module - 1], address - *bias);
        *found_in = module;
        if (found != NULL)
            return found->is_function && found->address != address - *bias ? NULL : found;
    }
    return NULL;
}

/* Finds an address's name; item->name = NULL: it has none. */
static int name_pointer(struct pointer_name *item, const struct value_types *types,
                        uint32_t process, uint64_t address, uint64_t tick, struct error *error)
{
    uint64_t bias = 0;
    uint32_t module;
    const struct symbol_function *function = program_symbol(types->program, process, address, tick);
    const struct data_symbol *variable =
        function == NULL ? find_symbol(types, process, address, tick, &bias, &module) : NULL;
    free(item->name);
    *item = (struct pointer_name){.address = address};
    if (function == NULL && variable == NULL)
        return 0;
    item->name = function != NULL ? function_name(function) : symbol_name(variable, address - bias);
    return item->name != NULL ? 0 : error_set(error, "out of memory");
}

int value_types_variable(struct value_types *types, uint32_t process, uint64_t address,
                         uint64_t tick, struct variable_place *place, struct error *error)
{
    uint64_t bias = 0;
    *place = (struct variable_place){.variable = NULL};
    if (prepare(types, error) != 0)
        return -1;
    if (!lies_in_module(types, address))
        return 0;
    const struct data_symbol *found =
        find_symbol(types, process, address, tick, &bias, &place->module);
    if (found != NULL && !found->is_function) {
        place->variable = found;
        place->offset = address - bias - found->address;
    }
    return 0;
}

int pointer_names_find(struct pointer_names *names, struct value_types *types, uint32_t process,
                       uint64_t address, uint64_t tick, const char **name, struct error *error)
{
    *name = NULL;
    if (address == 0)
        return 0;
    if (prepare(types, error) != 0)
        return -1;
    if (!lies_in_module(types, address))
        return 0;
    if (names->items == NULL &&
        (names->items = calloc(POINTER_NAMES, sizeof *names->items)) == NULL)
        return error_set(error, "out of memory");
    struct pointer_name *item =
        &names->items[address * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (POINTER_NAMES - 1)];
    if (item->address != address && name_pointer(item, types, process, address, tick, error) != 0)
        return -1;
    *name = item->name;
    return 0;
}

_Static_assert((POINTER_NAMES & (POINTER_NAMES - 1)) == 0, "a mask takes the index");
