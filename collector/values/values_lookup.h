/* Finds a hook call's recipe (values_recipes.h) if the cache does not know the address. */
#ifndef FISQL_COLLECTOR_VALUES_VALUES_LOOKUP_H
#define FISQL_COLLECTOR_VALUES_VALUES_LOOKUP_H

#include "collector/values/values_recipes.h"

#include <stdint.h>

/* The word of an address; 0 if it has no recipe, or none yet. */
uint64_t recipe_word(uint64_t address);

/* Takes all memory that recipes may need, if there is so much: later the program forbids to ask for
 * more. */
void recipes_take_room(void);

#endif
