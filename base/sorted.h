/* Sorted arrays: the one piece of code that finds an item's place by halving. */
#ifndef FISQL_BASE_SORTED_H
#define FISQL_BASE_SORTED_H

#include <stddef.h>

#define sorted_search(items, count, member, before, key)                                           \
    __extension__({                                                                                \
        __typeof__(key) sorted_key = (key);                                                        \
        size_t sorted_low = 0, sorted_high = (count);                                              \
        while (sorted_low < sorted_high) {                                                         \
            size_t sorted_middle = sorted_low + (sorted_high - sorted_low) / 2;                    \
            if ((items)[sorted_middle].member before sorted_key)                                   \
                sorted_low = sorted_middle + 1;                                                    \
            else                                                                                   \
                sorted_high = sorted_middle;                                                       \
        }                                                                                          \
        sorted_low;                                                                                \
    })

/* The first of `count` items, sorted by `member`, whose member is not below the key; `count` if
 * there is none. Key and member have one type. */
#define sorted_from(items, count, member, key) sorted_search(items, count, member, <, key)

/* The first whose member is above the key: the item before it, if any, is the last that is not. */
#define sorted_after(items, count, member, key) sorted_search(items, count, member, <=, key)

#endif
