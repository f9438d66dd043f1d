/* What a hook asks of the recipes (values_recipes.h) where the cache may not know an address. */
#ifndef FISQL_COLLECTOR_VALUES_VALUES_LOOKUP_H
#define FISQL_COLLECTOR_VALUES_VALUES_LOOKUP_H

#include "collector/values/values_recipes.h"

#include <stdint.h>

/* The word of an address; 0 where there is no recipe, or none yet. */
uint64_t recipe_word(uint64_t address);

/* Takes all the memory that hooks' recipes may need, if it is to be had: none can be asked for later. */
void recipes_take_room(void);

#endif
