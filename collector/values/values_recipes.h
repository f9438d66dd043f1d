/*
 * The recipes of the loaded modules (formats/recipe.h), by the return address of the hook's call.
 *
 * One look finds them: a cache with a place for each 8 bytes of code, folded to RECIPE_PLACES, says
 * which recipe belongs to an address, or that there is none. The hooks look there before they keep
 * any register (values_x86_64.S). Threads fill it side by side without a lock. So a hook checks
 * what it finds against the recipe's own address; if it sees a place half-changed, the call has no
 * values.
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
    uint64_t bias; /* recipes' addresses count from it; odd = the module is gone, and none fits */
    const struct fisql_recipe_value *values;
    const struct fisql_recipe_hook *hooks;
    uint64_t hooks_count;
    uint64_t start, end;
    uint64_t
        *made; /* atomic: the words of the hooks, 0 = not made yet; NULL = there is no memory */
};

/* The part of struct fisql_recipe_value that a hook needs, if the value is a number in a word. */
struct recipe_number {
    uint8_t where; /* REGISTER: SUM with offset 0; RECIPE_OTHER: no number in a word */
    uint8_t what;
    uint8_t unused; /* bits of the word above it */
    uint8_t base;
    int32_t offset;
};
#define RECIPE_OTHER 0xffu

/* Where a result is when the exit hook is called. */
enum recipe_at_hook {
    RECIPE_COMES,  /* not there yet: values_await() */
    RECIPE_THERE,  /* the hook's call, or the return, has it already */
    RECIPE_NOTHING /* none is recorded */
};

/* A recipe as a hook uses it, made when the hook is first called. Most lie in one cache line; the
 * file's hook and values would take three, each found by the one before. */
struct recipe {
    uint64_t address, function;             /* in memory */
    const struct fisql_recipe_value *value; /* the first of `count`; numbers[] has the same ones */
    uint8_t count;
    uint8_t exit;
    uint8_t at_hook; /* of an exit: enum recipe_at_hook */
    uint8_t cfa_register;
    uint32_t module; /* index */
    struct recipe_number numbers[];
};
_Static_assert(sizeof(struct recipe) == 32, "four numbers are in the same line");
/* Behind an exit's number. */
struct recipe_frame {
    int32_t cfa_offset, return_offset;
};

/* The word has the recipe's address, and RECIPE_VOLATILE if a value lies in a register that calls
 * may change; 0 = there is no recipe. */
struct recipe_place {
    uint64_t address; /* atomic; 0 = nothing is known */
    uint64_t word;    /* atomic */
};
#define RECIPE_VOLATILE ((uint64_t)1 << 62) /* the hooks know the number */
#define RECIPE_FAULT ((uint64_t)1 << 61)    /* fault rules name the call (faults.h) */
#define RECIPE_PATCHED                                                                             \
    ((uint64_t)1 << 60) /* of a patched function: values_patched has its registers */
_Static_assert(sizeof(struct recipe_place) == 16 && RECIPE_PLACES == 65536, "the hooks know these");
/* Of no recipe: the hook at the exit has kept no registers, but the call may have values there. */
#define RECIPE_PLAIN ((uint64_t)1 << 59)
extern HIDDEN struct recipe_place *recipe_cache; /* NULL = no call has values */
extern HIDDEN struct recipe_module recipe_modules[RECIPE_MODULES_MAX];
extern HIDDEN uint32_t recipe_modules_used; /* atomic: those before it are complete */
extern HIDDEN uint32_t recipe_cache_used;   /* atomic: the cache is not empty */
extern HIDDEN uint32_t recipe_string_max;   /* recorded bytes of a text */

/* The recipe of this word if it belongs to the hook call with this return address and function;
 * else NULL. */
static inline const struct recipe *recipe_of(uint64_t word, uint64_t address, uint64_t function)
{
    const struct recipe *recipe =
        (const struct recipe *)(uintptr_t)(word &
                                           ~(RECIPE_VOLATILE | RECIPE_FAULT | RECIPE_PATCHED));
    return LIKELY(recipe->address == address && recipe->function == function) ? recipe : NULL;
}

static inline const struct recipe_module *recipe_module(const struct recipe *recipe)
{
    return &recipe_modules[recipe->module];
}

/* Makes the cache: call it before anything else here. False if there is no memory: no call has
 * values then. */
HIDDEN bool recipes_prepare(void);

/* Call it when a module was loaded. Returns whether it has recipes. */
bool recipes_module(const char *path, uint64_t bias, uint64_t start, uint64_t end);
/* Are there any? */
bool recipes_there(void);
/* Are there recipes for the module at `path`? */
bool recipes_know(const char *path);
/* Takes recipes, which stay in memory. False if they are not available (NULL) or not sound. */
bool recipes_add(const void *memory, uint64_t size_bytes);
void recipes_forked(void);

#endif
