/* See parameter_flags.h. */
#include "debuginfo/expressions/parameter_flags.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debuginfo/expressions/flag_names.h"
#include "debuginfo/prototypes/flag_parameters.h"

struct parameter_flags_type {
    const char *flags;
    struct parameter_type type;
    struct parameter_enumerator *enumerators;
    size_t count, capacity;
};

/* Adds the flags whose names begin with the `bytes` first bytes of `beginning`: those of the field, or
 * the others. */
static int add_beginning(struct parameter_flags_type *made, const char *beginning, size_t bytes,
                         bool of_field, struct error *error)
{
    int64_t field = flag_field_of(beginning, bytes);
    for (const struct flag_name *at = flag_names; at->name != NULL; at++) {
        bool in_field = field != 0 && (at->value & ~field) == 0;
        if (strncmp(at->name, beginning, bytes) != 0 || in_field != of_field)
            continue;
        bool single = (at->value & (at->value - 1)) == 0;
        const struct parameter_enumerator one = {.name = at->name,
                                                 .value = at->value,
                                                 .mask = in_field ? field
                                                         : single ? at->value
                                                                  : 0};
        if (array_add(&made->enumerators, &made->count, &made->capacity, one, error) != 0)
            return -1;
    }
    return 0;
}

static int fill(struct parameter_flags_type *made, struct error *error)
{
    const char *at = made->flags;
    bool one_of = *at == '=';
    for (at += one_of; *at != 0;) {
        size_t bytes = strcspn(at, " ");
        if (add_beginning(made, at, bytes, true, error) != 0 ||
            add_beginning(made, at, bytes, false, error) != 0)
            return -1;
        at += bytes + (at[bytes] == ' ');
    }
    made->type.kind = PARAMETER_ENUM;
    made->type.is_flags = !one_of;
    made->type.enumerators = made->enumerators;
    made->type.enumerators_count = made->count;
    return 0;
}

static void release(struct parameter_flags_type *made)
{
    if (made != NULL)
        free(made->enumerators);
    free(made);
}

const struct parameter_type *parameter_flags_type(struct parameter_flags *all, const char *flags,
                                                  const struct parameter_type *of,
                                                  struct error *error)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i]->flags == flags && all->items[i]->type.size_bytes == of->size_bytes &&
            all->items[i]->type.is_signed == of->is_signed)
            return &all->items[i]->type;
    struct parameter_flags_type *made = calloc(1, sizeof *made);
    if (made == NULL) {
        error_set(error, "out of memory");
        return NULL;
    }
    made->flags = flags;
    made->type = *of;
    if (strcmp(flags, "0") == 0)
        made->type.kind = PARAMETER_OCTAL;
    else if (strcmp(flags, FLAG_SOCKET_ADDRESS) == 0)
        made->type.kind = PARAMETER_SOCKET_ADDRESS;
    else if (fill(made, error) != 0)
        goto failed;
    if (array_add(&all->items, &all->count, &all->capacity, made, error) == 0)
        return &made->type;
failed:
    release(made);
    return NULL;
}

void parameter_flags_release(struct parameter_flags *all)
{
    for (size_t i = 0; i < all->count; i++)
        release(all->items[i]);
    free(all->items);
    *all = (struct parameter_flags){.count = 0};
}
