/* Parameters and results out of DWARF: see parameters.h. */
#include "loader/symbols/parameters.h"

#include <stdlib.h>

struct parameters {
    struct parameter *items; /* by function and position */
    size_t count;
};

int parameters_open(struct parameters **out, const char *path, const char *build_id,
                    const struct symbols_options *options, const uint64_t *functions,
                    size_t functions_count, struct error *error)
{
    (void)path, (void)build_id, (void)options, (void)functions, (void)functions_count;
    *out = calloc(1, sizeof **out);
    return *out != NULL ? 0 : error_set(error, "out of memory");
}

void parameters_close(struct parameters *parameters)
{
    if (parameters != NULL)
        free(parameters->items);
    free(parameters);
}

const struct parameter *parameters_of(const struct parameters *parameters, uint64_t function,
                                      size_t *count)
{
    (void)parameters, (void)function;
    *count = 0;
    return NULL;
}

const struct parameter *parameters_all(const struct parameters *parameters, size_t *count)
{
    *count = parameters->count;
    return parameters->items;
}
