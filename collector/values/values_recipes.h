/*
 * The recipes of the modules that are loaded (formats/recipe.h), by the address that a hook returns to.
 *
 * One look finds them: a cache with a place for each 8 bytes of code, folded to RECIPE_PLACES, says which
 * recipe belongs to an address, or that there is none. The hooks look there before they keep any
 * register (values_x86_64.S). Threads fill it side by side without a lock; so what is found is checked
 * against the recipe's own address, and a place may be seen half-changed: the call then has no values.
 */
#ifndef FISQL_COLLECTOR_VALUES_VALUES_RECIPES_H
#define FISQL_COLLECTOR_VALUES_VALUES_RECIPES_H

#include "collector/core/base.h"
#include "formats/recipe.h"

#include <stdbool.h>
#include <stddef.h>

#define RECIPE_MODULES_MAX 256u
#define RECIPE_PLACES 65536u

struct recipe_module {
    uint64_t bias; /* recipes' addresses count from it; odd = it is gone, and none fits */
    const struct fisql_recipe_value *values;
    const struct fisql_recipe_hook *hooks;
    uint64_t hooks_count;
    uint64_t start, end;
};

/* A value that is a number in a word: what a hook needs of struct fisql_recipe_value. */
struct recipe_number {
    uint8_t where; /* REGISTER stands as SUM with the offset 0; RECIPE_OTHER: it is no such value */
    uint8_t what;
    uint8_t unused; /* bits of the word above it */
    uint8_t base;
    int32_t offset;
};
#define RECIPE_OTHER 0xffu

/* A recipe as a hook uses it: most lie in one cache line, where a hook's own and its values' would be
 * three, each found by the one before. Made when the hook is first called. */
struct recipe {
    uint64_t address, function;             /* in memory */
    const struct fisql_recipe_value *value; /* the first of `count`; numbers[] has the same */
    uint8_t count;
    uint8_t exit;
    uint8_t at_hook; /* of an exit: the result is there already */
    uint8_t cfa_register;
    uint32_t module; /* index */
    struct recipe_number numbers[];
};
_Static_assert(sizeof(struct recipe) == 32, "four numbers are in the same line");
/* Behind an exit's number. */
struct recipe_frame {
    int32_t cfa_offset, return_offset;
};

/* What is known of an address: a word of the recipe's address and RECIPE_VOLATILE where a value lies in
 * a register that calls may change; 0 = it has none. */
struct recipe_place {
    uint64_t address; /* atomic; 0 = nothing is known */
    uint64_t word;    /* atomic */
};
#define RECIPE_VOLATILE ((uint64_t)1 << 62) /* the hooks know the number */
#define RECIPE_FAULT ((uint64_t)1 << 61)    /* rules name the call (faults.h) */
_Static_assert(sizeof(struct recipe_place) == 16 && RECIPE_PLACES == 65536, "the hooks know these");
extern HIDDEN struct recipe_place *recipe_cache; /* NULL = nothing is known of any call */
extern HIDDEN struct recipe_module recipe_modules[RECIPE_MODULES_MAX];
extern HIDDEN uint32_t recipe_modules_used; /* atomic: those before it are complete */
extern HIDDEN uint32_t recipe_cache_used;   /* atomic: something was put into the cache */
extern HIDDEN uint32_t recipe_string_max;   /* bytes of a text that are recorded */

/* The recipe of this word, where it belongs to the hook call that returns to `address` and names
 * `function`; else NULL. */
static inline const struct recipe *recipe_of(uint64_t word, uint64_t address, uint64_t function)
{
    const struct recipe *recipe =
        (const struct recipe *)(uintptr_t)(word & ~(RECIPE_VOLATILE | RECIPE_FAULT));
    return LIKELY(recipe->address == address && recipe->function == function) ? recipe : NULL;
}

static inline const struct recipe_module *recipe_module(const struct recipe *recipe)
{
    return &recipe_modules[recipe->module];
}

/* Makes room for what is known of hook calls: before anything else here. Returns false where there is no
 * memory for it; nothing is known then. */
HIDDEN bool recipes_prepare(void);

/* Takes the recipes from `offset` of a file on. False where they cannot be had or are not sound. */
bool recipes_load(int file, uint64_t offset, uint64_t size_bytes);
/* A module was loaded. Has it recipes? */
bool recipes_module(const char *path, uint64_t bias, uint64_t start, uint64_t end);
/* Are there any? */
bool recipes_there(void);
/* Is something known of the module at `path`? */
bool recipes_know(const char *path);
/* Takes more of them, which lie in memory for good (NULL = they cannot be had). */
bool recipes_add(const void *memory, uint64_t size_bytes);
void recipes_forked(void);

#endif
