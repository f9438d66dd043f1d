/* Computes expressions on parameters (formats/recipe.h, FISQL_WHERE_EXPRESSION). */
#ifndef FISQL_COLLECTOR_VALUES_VALUES_EXPRESSION_H
#define FISQL_COLLECTOR_VALUES_VALUES_EXPRESSION_H

#include "collector/values/values_capture.h"

/* Takes at most FISQL_RECIPE_STEPS_MAX steps. Returns FOUND with the word in the first 8 bytes,
 * FOUND_ABSENT if a parameter's place is not known, FOUND_UNREADABLE if there is no result. */
enum found expression_word(const struct capture *capture, const struct fisql_recipe_value *value,
                           unsigned char bytes[FISQL_RECIPE_BYTES_MAX]);

#endif
