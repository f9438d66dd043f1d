/* Growing arrays: the one piece of code that doubles a capacity and checks for overflow. */
#ifndef FISQL_LOADER_ARRAY_H
#define FISQL_LOADER_ARRAY_H

#include <stdint.h>
#include <stdlib.h>

#include "loader/error.h"

/* Makes room for `needed` items of `item_bytes` in the malloc'ed array *items (NULL at first) whose
 * room is *capacity. Returns 0, or -1 with *error set; the array is unchanged then. */
static inline int array_reserve_bytes(void **items, size_t *capacity, size_t needed,
                                      size_t item_bytes, struct error *error)
{
    if (needed <= *capacity)
        return 0;
    size_t wanted = *capacity < 8 ? 16 : *capacity * 2;
    if (wanted < needed)
        wanted = needed;
    void *grown = wanted > SIZE_MAX / item_bytes ? NULL : realloc(*items, wanted * item_bytes);
    if (grown == NULL)
        return error_set(error, "out of memory for %zu bytes", wanted * item_bytes);
    *items = grown;
    *capacity = wanted;
    return 0;
}

/* The same for a typed array: array_reserve(&list->items, &list->capacity, list->count + 1, error).
 * The item pointer's address is passed as void * and copied, so no aliasing rule is broken. */
#define array_reserve(items, capacity, needed, error)                                              \
    __extension__({                                                                                \
        void *array_reserve_items = *(items);                                                      \
        int array_reserve_result = array_reserve_bytes(&array_reserve_items, (capacity), (needed), \
                                                       sizeof **(items), (error));                 \
        *(items) = array_reserve_items;                                                            \
        array_reserve_result;                                                                      \
    })

#endif
