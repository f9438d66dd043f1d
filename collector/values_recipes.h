/*
 * The recipes of the modules that are loaded (recipe_format.h), by the address that a hook returns to.
 *
 * One look finds them: a cache of one word for each 8 bytes of code, folded to CACHE_WORDS, says which
 * recipe belongs to an address, or that there is none. A word is checked against the recipe's own
 * address, so threads fill it side by side without a lock.
 */
#ifndef FISQL_COLLECTOR_VALUES_RECIPES_H
#define FISQL_COLLECTOR_VALUES_RECIPES_H

#include "collector/base.h"
#include "recipe_format.h"

#include <stdbool.h>
#include <stddef.h>

#define RECIPE_MODULES_MAX 256u
#define RECIPE_CACHE_WORDS 16384u

struct recipe_module {
    uint64_t bias; /* recipes' addresses count from it; odd = it is gone, and none fits */
    const struct fisql_recipe_value *values;
    const struct fisql_recipe_hook *hooks;
    uint64_t hooks_count;
    uint64_t start, end;
};

/* A word: the index of a module << 48 | address of its recipe; or an address and RECIPE_NONE. */
#define RECIPE_MODULE_SHIFT 48
#define RECIPE_ADDRESS_MASK (((uint64_t)1 << RECIPE_MODULE_SHIFT) - 1)
#define RECIPE_NONE ((uint64_t)1 << 63)
extern HIDDEN uint64_t recipe_cache[RECIPE_CACHE_WORDS]; /* atomic */
extern HIDDEN struct recipe_module recipe_modules[RECIPE_MODULES_MAX];
extern HIDDEN uint32_t recipe_string_max; /* bytes of a text that are recorded */

static inline uint64_t *recipe_cache_word(uint64_t address)
{
    return &recipe_cache[(address >> 3 ^ address >> 17) % RECIPE_CACHE_WORDS];
}

/* The word of an address that the cache does not know. */
uint64_t recipe_word_elsewhere(uint64_t address);

static inline const struct fisql_recipe_hook *recipe_of_word(uint64_t word)
{
    return (const struct fisql_recipe_hook *)(uintptr_t)(word & RECIPE_ADDRESS_MASK);
}
static inline const struct recipe_module *recipe_module_of_word(uint64_t word)
{
    return &recipe_modules[word >> RECIPE_MODULE_SHIFT];
}

/* The recipe of the hook call that returns to `address` and names `function`, and its first value;
 * NULL where there is none. */
static inline const struct fisql_recipe_hook *recipe_find(uint64_t address, uint64_t function,
                                                          const struct recipe_module **module)
{
    uint64_t word = __atomic_load_n(recipe_cache_word(address), __ATOMIC_RELAXED);
    if (word == (address | RECIPE_NONE))
        return NULL;
    if (UNLIKELY(word == 0 || (word & RECIPE_NONE) != 0 ||
                 recipe_of_word(word)->address + recipe_module_of_word(word)->bias != address)) {
        word = recipe_word_elsewhere(address);
        if ((word & RECIPE_NONE) != 0)
            return NULL;
    }
    const struct fisql_recipe_hook *hook = recipe_of_word(word);
    *module = recipe_module_of_word(word);
    return LIKELY(hook->function + (*module)->bias == function) ? hook : NULL;
}

/* Takes the recipes from `offset` of a file on. False where they cannot be had or are not sound. */
bool recipes_load(int file, uint64_t offset, uint64_t size_bytes);
/* A module was loaded. Has it recipes? */
bool recipes_module(const char *path, uint64_t bias, uint64_t start, uint64_t end);
/* Are there any? */
bool recipes_there(void);

#endif
