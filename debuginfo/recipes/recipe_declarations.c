/*
 * Recipes of exported functions of a library without debug information, from the prototypes that
 * somebody else has (debuginfo/prototypes/prototypes.h): a file of our own, or the program that calls
 * them (symbols_options.declared_by), in whose debug information the compiler puts the declarations of
 * the functions that a unit calls. Where the arguments lie the calling convention alone says, which
 * exported functions keep to.
 *
 * Only functions with C's linkage: the declaration of a method does not say which parameter is
 * `this`.
 */
#include "debuginfo/recipes/recipe_parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/intern.h"
#include "debuginfo/dwarf/dwarf_declarations.h"
#include "debuginfo/elf/exported.h"
#include "debuginfo/prototypes/flag_parameters.h"
#include "debuginfo/prototypes/prototypes.h"
#include "debuginfo/prototypes/system_calls.h"
#include "debuginfo/symbols/symbol_trial.h"

struct lending {
    const struct recipe_walk *walk;
    struct prototypes_lender from;
    struct symbol_files files; /* the lender's */
    struct exported exported;
    struct dwarf_types types;
    struct intern seen; /* functions: of several names the first counts */
};

/* ---- addresses of sockets ---- */

struct finding {
    const char *function;
    unsigned at, found; /* parameters, from 0; found: UINT_MAX = none */
};

static bool see_parameter(void *context, Dwarf_Debug debug, Dwarf_Die die)
{
    struct finding *finding = context;
    const char *name = dwarf_die_string(debug, die, DW_AT_name);
    const struct flag_parameter *known =
        name != NULL ? flag_parameter_of(finding->function, name) : NULL;
    if (known != NULL && strcmp(known->flags, FLAG_SOCKET_ADDRESS) == 0)
        finding->found = finding->at;
    finding->at++;
    return finding->found == UINT_MAX;
}

static bool is_word(const struct fisql_recipe_value *value)
{
    return value->where == FISQL_WHERE_REGISTER && value->what <= FISQL_WHAT_POINTER;
}

/* Records the address itself in place of the pointer to it: as many bytes as the next argument says. */
static int dump_address(struct recipes *recipes, const struct fisql_recipe_hook *hook,
                        unsigned parameter, struct error *error)
{
    size_t at = hook->first + parameter, steps = recipes->values_count;
    if (parameter + 1 >= hook->count || !is_word(&recipes->values[at]) ||
        !is_word(&recipes->values[at + 1]))
        return 0;
    if (array_reserve(&recipes->values, &recipes->values_capacity, steps + 2, error) != 0)
        return -1;
    memcpy(recipes->values + steps, recipes->values + at, 2 * sizeof *recipes->values);
    recipes->values_count += 2;
    recipes->values[at] = (struct fisql_recipe_value){.where = FISQL_WHERE_EXPRESSION,
                                                      .what = FISQL_WHAT_DUMP,
                                                      .size = 16,
                                                      .base = 2,
                                                      .constant = steps,
                                                      .text_max = FISQL_RECIPE_BYTES_MAX};
    return 0;
}

static int add_function(const struct lending *lending, const struct recipe_function *function,
                        const char *name)
{
    struct recipes *recipes = lending->walk->recipes;
    struct finding finding = {.function = name, .found = UINT_MAX};
    size_t hook = recipes->hooks_count;
    if (recipe_entry_add(function) != 0)
        return -1;
    if (lending->from.prefix == NULL || recipes->hooks_count == hook)
        return 0;
    prototype_each(function->debug, function->die, see_parameter, &finding);
    return finding.found == UINT_MAX
               ? 0
               : dump_address(recipes, &recipes->hooks[hook], finding.found, lending->walk->error);
}

/* ---- functions ---- */

static int visit(void *context, Dwarf_Die die, const char *name)
{
    struct lending *lending = context;
    const struct exported *exported = &lending->exported;
    size_t at = named_code_from(exported->items, exported->count, name);
    bool exports = at < exported->count && strcmp(exported->items[at].name, name) == 0;
    if (!exports || (lending->walk->options->system_calls && system_call_of(name) == NULL))
        return 0;
    for (; at < exported->count && strcmp(exported->items[at].name, name) == 0; at++) {
        uint32_t index;
        const uint32_t before = lending->seen.count;
        if (intern_add(&lending->seen, exported->items[at].address, 0, &index,
                       lending->walk->error) != 0)
            return -1;
        if (index < before)
            continue;
        const struct recipe_function function = {.walk = lending->walk,
                                                 .types = &lending->types,
                                                 .debug = lending->types.debug,
                                                 .die = die,
                                                 .start = exported->items[at].address,
                                                 .declared = true};
        if (add_function(lending, &function, name) != 0)
            return -1;
    }
    return 0;
}

static int walk(struct lending *lending)
{
    return dwarf_declarations(lending->files.debug, &lending->files.module, &lending->types,
                              lending->from.prefix, visit, lending, lending->walk->error);
}

static void try_walk(void *context)
{
    walk(context);
}

int recipe_declarations(const struct recipe_walk *of_module)
{
    const struct symbols_options *options = of_module->options;
    const struct elf_file *module = &of_module->files->module;
    struct lending *lending = calloc(1, sizeof *lending);
    const char *problem, *id = options->declared_by_id;
    int result = 0;
    if (lending == NULL)
        return error_set(of_module->error, "out of memory");
    lending->walk = of_module;
    if (prototypes_lender_find(&lending->from, module, options)) {
        struct symbol_files *files = &lending->files;
        result = symbol_files_find(files, lending->from.path,
                                   lending->from.prefix == NULL && id != NULL ? id : "",
                                   &lending->from.options, &problem, of_module->error);
        if (result == 0 && files->module_open && files->debug != NULL)
            result = exported_read(&lending->exported, module, of_module->error);
        if (result == 0 && lending->exported.count > 0 &&
            (lending->from.prefix != NULL || symbol_trial(files->debug, try_walk, lending)))
            result = walk(lending);
        intern_release(&lending->seen);
        exported_release(&lending->exported);
        symbol_files_close(files);
    }
    free(lending);
    return result;
}
