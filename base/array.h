/* Growing arrays: the one piece of code that doubles a capacity and checks for overflow. */
#ifndef FISQL_BASE_ARRAY_H
#define FISQL_BASE_ARRAY_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/must.h"

/* Makes room for `needed` items of `item_bytes` in the malloc'ed array *items (NULL at first) whose
 * room is *capacity. Returns 0, or -1 with *error set; the array is unchanged then. */
static inline MUST_CHECK int array_reserve_bytes(void **items, size_t *capacity, size_t needed,
                                                 size_t item_bytes, struct error *error)
{
    if (needed <= *capacity) {
#ifdef __clang_analyzer__ /* room is somewhere */
        if (*items == NULL)
            __builtin_unreachable();
#endif
        return 0;
    }
    must(item_bytes > 0);
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

/* Makes the array hold item `index`; new items are zero. */
static inline MUST_CHECK int array_reach_bytes(void **items, size_t *capacity, size_t index,
                                               size_t item_bytes, struct error *error)
{
    size_t before = *capacity;
    if (index < before)
        return 0;
    if (array_reserve_bytes(items, capacity, index + 1, item_bytes, error) != 0)
        return -1;
    memset((char *)*items + before * item_bytes, 0, (*capacity - before) * item_bytes);
    return 0;
}

/* The same for a typed array: array_reach(&list->items, &list->capacity, index, error). */
#define array_reach(items, capacity, index, error)                                                 \
    __extension__({                                                                                \
        void *array_reach_items = *(items);                                                        \
        int array_reach_result =                                                                   \
            array_reach_bytes(&array_reach_items, (capacity), (index), sizeof **(items), (error)); \
        *(items) = array_reach_items;                                                              \
        array_reach_result;                                                                        \
    })

/* Appends an item to a typed array: array_add(&list->items, &list->count, &list->capacity, item,
 * error). Returns 0, or -1 with *error set. */
#define array_add(items, count, capacity, item, error)                                             \
    __extension__({                                                                                \
        const __typeof__(**(items)) array_add_item = (item);                                       \
        int array_add_result = array_reserve((items), (capacity), *(count) + 1, (error));          \
        if (array_add_result == 0)                                                                 \
            (*(items))[(*(count))++] = array_add_item;                                             \
        array_add_result;                                                                          \
    })

static inline void array_sort_bytes(void *items, size_t count, size_t item_bytes,
                                    int (*compare)(const void *left, const void *right))
{
    if (count > 0)
        qsort(items, count, item_bytes, compare);
}

/* Sorts a typed array, which may be NULL if it is empty. */
#define array_sort(items, count, compare)                                                          \
    array_sort_bytes((items), (count), sizeof *(items), (compare))

#endif
