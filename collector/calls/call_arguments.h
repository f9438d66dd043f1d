/* A call's arguments or result, from the log's form into that of fisql.h. */
#ifndef FISQL_COLLECTOR_CALLS_CALL_ARGUMENTS_H
#define FISQL_COLLECTOR_CALLS_CALL_ARGUMENTS_H

#include "collector/core/watch.h"
#include "collector/fisql.h"
#include "formats/recipe.h"

#define CALL_ARGUMENTS_MAX (2 * FISQL_RECIPE_VALUES_MAX) /* with those of --value */

/* Returns how many there are. Texts lie in the call's values, each with a NUL behind it. */
unsigned call_arguments(const struct watched *call,
                        struct fisql_call_value values[CALL_ARGUMENTS_MAX]);

#endif
