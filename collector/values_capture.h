/* Turns what a recipe names into the bytes that stand in the log. */
#ifndef FISQL_COLLECTOR_VALUES_CAPTURE_H
#define FISQL_COLLECTOR_VALUES_CAPTURE_H

#include "collector/values_read.h"
#include "collector/values_recipes.h"

#define VALUES_RETURNED_VECTORS 4u

/* Registers as a function returns with them. */
struct values_returned {
    unsigned char vector[VALUES_RETURNED_VECTORS][16]; /* x86-64: two of them */
    uint64_t general[2];
};

/* Where values are taken from. */
struct capture {
    const uint64_t *general;                 /* by DWARF's numbers */
    const unsigned char *vector;             /* 16 bytes each */
    const struct values_returned *returned;  /* of a result */
    const struct fisql_recipe_value *values; /* the module's */
    struct read_context reading;
};

/* Writes `count` values behind one another. Returns their bytes, at most FISQL_VALUES_BYTES_MAX; up
 * to 8 more may be spoiled. */
uint32_t capture_values(const struct capture *capture, const struct fisql_recipe_value *value,
                        uint32_t count, unsigned char *into);

#endif
