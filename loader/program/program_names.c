/*
 * Names in modules without hooks, whose symbols are not read before the log is: of functions there
 * that were called, and of those that blocks were allocated in or calls came from.
 */
#include "loader/program/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/must.h"
#include "debuginfo/names/demangle.h"

static bool is_unread(const struct program_module *module)
{
    return module->first_function != 0 && module->symbols.functions_count == 0 &&
           !module->symbols.instrumented && module->symbols.problem == NULL;
}

static int reread(struct program_module *module, const struct symbols_options *options,
                  struct error *error)
{
    symbols_release(&module->symbols);
    module->first_function = 0;
    return symbols_open(&module->symbols, module->path, module->build_id, options, error);
}

/* Gives a function the name by which others call it. What the module's symbols and debug information
 * say of it stays: the C library calls many of its functions otherwise itself (__libc_read). */
static int name_external(struct program *program, struct program_function *function,
                         const struct log_link *link, struct error *error)
{
    const char *linkage = link->name;
    const struct program_module *module = &program->modules[function->module - 1];
    must(program->externals_count < program->unknown.count);
    struct symbol_function *symbol = &program->externals[program->externals_count++];
    char *readable = demangle(linkage);
    const char *name = readable != NULL ? readable : linkage;
    *symbol = function->symbol != NULL ? *function->symbol
                                       : (struct symbol_function){.address = function->address,
                                                                  .call_targets = SYMBOL_NONE};
    symbol->name = text_pool_add(&program->external_names, name, strlen(name), error);
    symbol->linkage_name =
        readable == NULL ? NULL
                         : text_pool_add(&program->external_names, linkage, strlen(linkage), error);
    free(readable);
    if (symbol->name == NULL || (readable != NULL && symbol->linkage_name == NULL))
        return -1;
    symbol->stable_id = symbols_stable_id(module->path, symbol->name, NULL);
    if (link->taken)
        symbol->unpatched = "its address is taken, too: calls by that are not recorded";
    function->symbol = symbol;
    function->external = true;
    return 0;
}

static int name_externals(struct program *program, struct error *error)
{
    const struct log_links *links = &program->index->facts.links;
    if (links->count == 0 || program->unknown.count == 0)
        return 0;
    /* A link names one function, and one that has a symbol needs none. */
    program->externals = calloc(program->unknown.count, sizeof *program->externals);
    if (program->externals == NULL)
        return error_set(error, "out of memory for %zu library functions", links->count);
    for (size_t m = 0; m < program->modules_count; m++)
        for (size_t i = 0; i < links->count; i++) {
            const struct log_link *link = &links->items[i];
            uint32_t index = strcmp(link->path, program->modules[m].path) == 0
                                 ? intern_find(&program->unknown, m + 1, link->address)
                                 : INTERN_NONE;
            if (index != INTERN_NONE &&
                name_external(program, &program->functions[program->unknown_ids[index] - 1], link,
                              error) != 0)
                return -1;
        }
    return 0;
}

int program_name_called(struct program *program, const struct symbols_options *options,
                        struct error *error)
{
    struct symbols_options all = *options;
    all.all_modules = true;
    for (size_t i = 0; i < program->functions_count; i++) {
        struct program_function *function = &program->functions[i];
        if (function->module == 0 || function->symbol != NULL || function->point != NULL)
            continue;
        struct program_module *module = &program->modules[function->module - 1];
        if (is_unread(module) && reread(module, &all, error) != 0)
            return -1;
        if (module->first_function != 0)
            continue;
        const struct symbol_range *range = symbols_range(&module->symbols, function->address);
        const struct symbol_function *symbol =
            range != NULL ? &module->symbols.functions[range->function] : NULL;
        if (symbol != NULL && symbol->address == function->address)
            function->symbol = symbol;
    }
    return name_externals(program, error);
}

/* functions.id of the function that a site lies in, 0 = not known. One of a module that is no part
 * of the program's functions becomes one; `added` are those. */
static int site_function(struct program *program, struct intern_key site, struct intern *added,
                         uint32_t **added_ids, size_t *added_capacity, uint32_t *id,
                         struct error *error)
{
    struct program_module *module = &program->modules[site.a - 1];
    const struct symbol_range *range = symbols_range(&module->symbols, site.b - 1);
    uint32_t index, before = added->count;
    *id = 0;
    if (range == NULL)
        return 0;
    must(range->function < module->symbols.functions_count);
    *id = module->first_function + range->function;
    if (module->first_function != 0)
        return 0;
    if (intern_add(added, site.a, range->function, &index, error) != 0 ||
        array_reserve(added_ids, added_capacity, (size_t)index + 1, error) != 0)
        return -1;
    const struct symbol_function *symbol = &module->symbols.functions[range->function];
    if (index == before && program_add_function(program, (uint32_t)site.a, symbol->address, symbol,
                                                &(*added_ids)[index], error) != 0)
        return -1;
    *id = (*added_ids)[index];
    return 0;
}

int program_name_sites(struct program *program, const struct symbols_options *options,
                       struct error *error)
{
    struct symbols_options names = *options;
    struct intern added = {0};
    uint32_t *added_ids = NULL;
    size_t added_capacity = 0;
    int result = 0;
    names.all_modules = true;
    names.names_only = true;
    program->site_functions = calloc(program->sites.count + 1, sizeof *program->site_functions);
    if (program->site_functions == NULL)
        return error_set(error, "out of memory");
    for (uint32_t i = 0; i < program->sites.count && result == 0; i++) {
        struct intern_key site = program->sites.keys[i];
        if (site.a == 0)
            continue;
        struct program_module *module = &program->modules[site.a - 1];
        if (is_unread(module))
            result = reread(module, &names, error);
        if (result == 0)
            result = site_function(program, site, &added, &added_ids, &added_capacity,
                                   &program->site_functions[i], error);
    }
    intern_release(&added);
    free(added_ids);
    return result;
}
