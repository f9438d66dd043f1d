/* Names of locks in variables: see lock_names.h. We look for the variables by the symbol tables, and
 * for what lies in them by the debug information, once for each module. */
#include "loader/tables/lock_names.h"

#include <stdlib.h>

#include "debuginfo/symbols/data_places.h"

/* Names those of one module. `which`: their indexes; `places` has room for all. */
static int name_module(struct lock_name *names, const size_t *which, struct data_place *places,
                       size_t count, const struct value_types *types, uint32_t module,
                       struct error *error)
{
    const struct program_module *of = &types->program->modules[module - 1];
    int result = count == 0 ? 0
                            : data_places_find(places, count, of->path, of->build_id,
                                               &types->options, error);
    for (size_t i = 0; i < count; i++) {
        char *name = result == 0 ? data_place_name(&places[i]) : NULL;
        if (result == 0 && name == NULL)
            result = error_set(error, "out of memory");
        names[which[i]].name = name;
        free(places[i].path);
    }
    return result;
}

int lock_names_find(struct lock_name *names, size_t count, struct value_types *types,
                    struct error *error)
{
    struct variable_place *found = calloc(count + 1, sizeof *found);
    struct data_place *places = calloc(count + 1, sizeof *places);
    size_t *which = calloc(count + 1, sizeof *which);
    int result = found == NULL || places == NULL || which == NULL
                     ? error_set(error, "out of memory for %zu locks", count)
                     : 0;
    for (size_t i = 0; i < count && result == 0; i++)
        result = value_types_variable(types, names[i].process, names[i].address, names[i].tick,
                                      &found[i], error);
    for (uint32_t module = 1; module <= types->modules_count && result == 0; module++) {
        size_t used = 0;
        for (size_t i = 0; i < count; i++)
            if (found[i].variable != NULL && found[i].module == module) {
                places[used] =
                    (struct data_place){.variable = found[i].variable, .offset = found[i].offset};
                which[used++] = i;
            }
        result = name_module(names, which, places, used, types, module, error);
    }
    free(found);
    free(places);
    free(which);
    return result;
}
