/*
 * Recipes of a module: at each call of a hook in its code, the places of the function's parameters
 * and the way its result comes back (formats/recipe.h). Made from debug information and call frame
 * information.
 *
 * Uncertain values are absent. A location is the one just before the call instruction. The hook's
 * entry (collector/values/values.c) has the values there of all general registers but those of its
 * own two arguments, and of the first eight vector registers; recipes name no others.
 *
 * An entry's parameters are in the order of parameters.h, absent ones included: value n is that of
 * position n.
 */
#ifndef FISQL_DEBUGINFO_RECIPES_RECIPES_H
#define FISQL_DEBUGINFO_RECIPES_RECIPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "debuginfo/symbols/symbols.h"
#include "formats/recipe.h"

enum recipe_tally {
    RECIPE_FUNCTIONS, /* parameters at the entry of functions */
    RECIPE_INLINED,   /* of inlined copies */
    RECIPE_RESULTS,   /* of functions neither inlined there nor void */
    RECIPE_TALLIES
};
#define RECIPE_REASONS_MAX 20

struct recipes {
    const char *problem; /* why there are none, or NULL */
    bool instrumented;   /* the module calls or imports the hooks */
    bool entries;        /* these are of patched entries, not of calls of hooks */
    bool incomplete;     /* split debug information (.dwo) is missing, or packed in DWARF 5 */
    bool cached;         /* came from the cache */
    struct fisql_recipe_hook *hooks; /* by address */
    size_t hooks_count, hooks_capacity;
    struct fisql_recipe_value *values;
    size_t values_count, values_capacity;
    uint64_t sites;    /* calls of hooks in the code, even those without recipe */
    uint64_t nameless; /* sites whose function is unknown */
    uint64_t tallies[RECIPE_TALLIES][RECIPE_REASONS_MAX]; /* by reason: recipes_reason() */
};

/* Makes the recipes of the module at `path`; options as for symbols_open(). With options->as_is, of a
 * module that does not call the hooks: those of its patched entries (recipe_entries.c; `sites` counts
 * functions). Returns 0, also for a module without hooks or debug information, or -1 without memory.
 * Release it in both cases. */
int recipes_make(struct recipes *recipes, const char *path, const struct symbols_options *options,
                 struct error *error);
void recipes_release(struct recipes *recipes);

/* Does a module at `path` have a build-id that begins so ("" = any)? */
bool recipes_module_is(const char *path, const char *build_id);

/* The words for a tally's reason: 0 is "located". NULL = no such reason. */
const char *recipes_reason(unsigned reason);

#endif
