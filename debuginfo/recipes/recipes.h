/*
 * Recipes of a module: where, at each call of a hook in its code, the parameters of the function that the
 * hook names lie, and how its result comes back (formats/recipe.h). Made of the module's debug information
 * and its call frame information.
 *
 * What is not certain is absent. A location is taken as it holds just before the call instruction: the
 * hook's entry (collector/values/values.c) has all general registers but those of its own two arguments with the
 * values that they have there, and the first eight vector registers; recipes name no others.
 *
 * The parameters of an entry stand in the order of parameters.h, absent ones among them, so the n-th
 * value is that of position n.
 */
#ifndef FISQL_DEBUGINFO_RECIPES_RECIPES_H
#define FISQL_DEBUGINFO_RECIPES_RECIPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "debuginfo/symbols/symbols.h"
#include "formats/recipe.h"

/* What is counted apart. */
enum recipe_tally {
    RECIPE_FUNCTIONS, /* parameters at the entry of functions */
    RECIPE_INLINED,   /* of inlined copies */
    RECIPE_RESULTS,   /* of functions that are not inlined there and not void */
    RECIPE_TALLIES
};
#define RECIPE_REASONS_MAX 20

struct recipes {
    const char *problem; /* why there are none, NULL = nothing is wrong */
    bool instrumented;   /* the module calls or imports the hooks */
    bool incomplete; /* files of split debug information (.dwo) are missing, or packed in DWARF 5 */
    bool cached;     /* came from the cache */
    struct fisql_recipe_hook *hooks; /* by address */
    size_t hooks_count, hooks_capacity;
    struct fisql_recipe_value *values;
    size_t values_count, values_capacity;
    uint64_t sites;    /* calls of hooks in the code; those without a recipe are not in `hooks` */
    uint64_t nameless; /* of these, which function they name is not known */
    uint64_t tallies[RECIPE_TALLIES][RECIPE_REASONS_MAX]; /* by reason: recipes_reason() */
};

/* Makes the recipes of the module at `path`; options as for symbols_open(). Returns 0, also for a module
 * without hooks or debug information, or -1 without memory. Release it in every case. */
int recipes_make(struct recipes *recipes, const char *path, const struct symbols_options *options,
                 struct error *error);
void recipes_release(struct recipes *recipes);

/* Is a module at `path` whose build-id begins so ("" = any)? */
bool recipes_module_is(const char *path, const char *build_id);

/* The words for a reason that values were counted under: 0 is "located". NULL = no such reason. */
const char *recipes_reason(unsigned reason);

#endif
