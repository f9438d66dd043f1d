/*
 * Recipes of exported functions of a library without debug information, from the declarations in
 * the program that calls them (symbols_options.declared_by): the compiler puts those of the functions
 * that a unit calls into its debug information. A declaration has types, no names. Where the
 * arguments lie the calling convention alone says, which exported functions keep to.
 *
 * Only functions with C's linkage: the declaration of a method does not say which parameter is
 * `this`.
 */
#include "debuginfo/recipes/recipe_parts.h"

#include <stdlib.h>

#include "debuginfo/dwarf/dwarf_declarations.h"
#include "debuginfo/elf/exported.h"
#include "debuginfo/symbols/symbol_trial.h"

struct lending {
    const struct recipe_walk *walk;
    const struct symbol_files *lender;
    struct exported exported;
    struct dwarf_types types;
};

static int visit(void *context, Dwarf_Die die, const char *name)
{
    struct lending *lending = context;
    const struct recipe_function function = {
        .walk = lending->walk,
        .types = &lending->types,
        .debug = lending->types.debug,
        .die = die,
        .start = named_code_find(lending->exported.items, lending->exported.count, name),
        .declared = true};
    if (function.start == 0)
        return 0;
    return recipe_entry_add(&function);
}

static int walk(struct lending *lending)
{
    return dwarf_declarations(lending->lender->debug, &lending->lender->module, &lending->types,
                              visit, lending, lending->walk->error);
}

static void try_walk(void *context)
{
    walk(context);
}

int recipe_declarations(const struct recipe_walk *of_module)
{
    struct lending lending = {.walk = of_module};
    struct symbol_files *lender = calloc(1, sizeof *lender);
    const char *id =
        of_module->options->declared_by_id != NULL ? of_module->options->declared_by_id : "";
    const char *problem;
    if (lender == NULL)
        return error_set(of_module->error, "out of memory");
    lending.lender = lender;
    int result = symbol_files_find(lender, of_module->options->declared_by, id, of_module->options,
                                   &problem, of_module->error);
    if (result == 0 && lender->module_open && lender->debug != NULL)
        result = exported_read(&lending.exported, &of_module->files->module, of_module->error);
    if (result == 0 && lending.exported.count > 0 &&
        symbol_trial(lender->debug, try_walk, &lending))
        result = walk(&lending);
    exported_release(&lending.exported);
    symbol_files_close(lender);
    free(lender);
    return result;
}
