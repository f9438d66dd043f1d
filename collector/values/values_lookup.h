/* Finds a hook call's recipe (values_recipes.h) if the cache does not know the address. */
#ifndef FISQL_COLLECTOR_VALUES_VALUES_LOOKUP_H
#define FISQL_COLLECTOR_VALUES_VALUES_LOOKUP_H

#include "collector/values/values_recipes.h"

#include <stdbool.h>
#include <stdint.h>

/* The word of an address; 0 if it has no recipe, or none yet. */
uint64_t recipe_word(uint64_t address);

/* The word of a patched function's entry or return, without its registers: RECIPE_PATCHED is set if
 * there is one. */
uint64_t recipe_word_patched(uint64_t function, bool returns);
/* The address by which it is known. */
static inline uint64_t recipe_address_patched(uint64_t function, bool returns)
{
    return function + returns;
}
/* Has a function of a module that is being patched a recipe, or a rule for faults? */
bool recipe_wants_patched(uint64_t function);

/* Takes all memory that recipes may need, if there is so much: later the program forbids to ask for
 * more. */
void recipes_take_room(void);

#endif
