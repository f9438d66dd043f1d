/* Types of parameters and names of pointers: see value_types.h. */
#include "loader/values/value_types.h"

#include <stdlib.h>
#include <string.h>

#include "loader/symbols/short_name.h"

static int by_start(const void *left, const void *right)
{
    const struct address_range *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

/* Most pointers point to data: a look into these ranges tells. */
static int find_code(struct value_types *types, const struct log_index *index, struct error *error)
{
    types->code = malloc((index->modules_count + 1) * sizeof *types->code);
    if (types->code == NULL)
        return error_set(error, "out of memory");
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < index->modules_count; i++)
        if (index->modules[i].start < index->modules[i].end)
            types->code[count++] =
                (struct address_range){index->modules[i].start, index->modules[i].end};
    qsort(types->code, count, sizeof *types->code, by_start);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && types->code[i].start <= types->code[kept - 1].end) {
            if (types->code[i].end > types->code[kept - 1].end)
                types->code[kept - 1].end = types->code[i].end;
        } else {
            types->code[kept++] = types->code[i];
        }
    }
    types->code_count = kept;
    return 0;
}

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
    return find_code(types, program->index, error);
}

void value_types_release(struct value_types *types)
{
    if (types->program == NULL)
        return;
    for (size_t i = 0; types->of_modules != NULL && i < types->modules_count; i++)
        parameters_close(types->of_modules[i]);
    free(types->of_modules);
    free(types->code);
    expressions_release(&types->expressions);
    pthread_mutex_destroy(&types->lock);
    *types = (struct value_types){.program = NULL};
}

/* What the functions of a module take and give, and the expressions that were asked for of them. */
static int read_module(struct value_types *types, const struct program_module *module,
                       struct parameters **read, struct error *error)
{
    struct expression_matches matches = {.count = 0};
    int result = expressions_match(&types->expressions, &module->symbols, &matches, error);
    if (result == 0)
        result = parameters_open(read, module->path, module->build_id, &types->options, NULL, 0,
                                 &matches, error);
    free(matches.items);
    return result;
}

int value_types_of(struct value_types *types, uint32_t function,
                   const struct parameter **parameters, size_t *count, struct error *error)
{
    uint32_t module;
    uint64_t address;
    *parameters = NULL;
    *count = 0;
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

static bool lies_in_code(const struct value_types *types, uint64_t address)
{
    size_t low = 0, high = types->code_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (address < types->code[middle].start)
            high = middle;
        else if (address >= types->code[middle].end)
            low = middle + 1;
        else
            return true;
    }
    return false;
}

static char *name_of(const struct symbol_function *symbol)
{
    bool mangled = symbol->linkage_name != NULL && short_name_applies(symbol->linkage_name);
    return mangled ? short_name(symbol->name, false) : strdup(symbol->name);
}

int pointer_names_find(struct pointer_names *names, const struct value_types *types,
                       uint32_t process, uint64_t address, uint64_t tick, const char **name,
                       struct error *error)
{
    *name = NULL;
    if (address == 0 || !lies_in_code(types, address))
        return 0;
    if (names->items == NULL &&
        (names->items = calloc(POINTER_NAMES, sizeof *names->items)) == NULL)
        return error_set(error, "out of memory");
    struct pointer_name *item =
        &names->items[address * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (POINTER_NAMES - 1)];
    if (item->address != address) {
        const struct symbol_function *symbol =
            program_symbol(types->program, process, address, tick);
        free(item->name);
        *item = (struct pointer_name){.address = address};
        if (symbol != NULL && (item->name = name_of(symbol)) == NULL)
            return error_set(error, "out of memory");
    }
    *name = item->name;
    return 0;
}

_Static_assert((POINTER_NAMES & (POINTER_NAMES - 1)) == 0, "a mask takes the index");
