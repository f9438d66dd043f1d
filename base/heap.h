/*
 * Binary heaps in arrays: the item that comes before all others is at the front. The caller gives
 * the order as a function of two items. Each use compiles its own copy, as with C++'s
 * std::make_heap, because the loader merges hundreds of millions of events through one heap.
 *
 *     heap_make(items, count, before);
 *     while (count > 0) {
 *         ... take or change items[0], or put the last item there ...
 *         heap_sift(items, count, 0, before);
 *     }
 */
#ifndef FISQL_BASE_HEAP_H
#define FISQL_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define HEAP_ITEM_MAX 64

typedef bool heap_before(const void *a, const void *b);

__attribute__((always_inline)) static inline void
heap_sift_bytes(void *items, size_t item_bytes, size_t count, size_t at, heap_before *before)
{
    char *base = items, moved[HEAP_ITEM_MAX];
    for (;;) {
        size_t first = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
            if (before(base + child * item_bytes, base + first * item_bytes))
                first = child;
        if (first == at)
            return;
        memcpy(moved, base + at * item_bytes, item_bytes);
        memcpy(base + at * item_bytes, base + first * item_bytes, item_bytes);
        memcpy(base + first * item_bytes, moved, item_bytes);
        at = first;
    }
}

__attribute__((always_inline)) static inline void heap_make_bytes(void *items, size_t item_bytes,
                                                                  size_t count, heap_before *before)
{
    for (size_t at = count / 2; at-- > 0;)
        heap_sift_bytes(items, item_bytes, count, at, before);
}

__attribute__((always_inline)) static inline size_t heap_keep_bytes(void *items, size_t item_bytes,
                                                                    size_t count, size_t room,
                                                                    const void *item,
                                                                    heap_before *before)
{
    if (count < room) {
        memcpy((char *)items + count++ * item_bytes, item, item_bytes);
        if (count == room)
            heap_make_bytes(items, item_bytes, count, before);
    } else if (room > 0 && before(items, item)) {
        memcpy(items, item, item_bytes);
        heap_sift_bytes(items, item_bytes, count, 0, before);
    }
    return count;
}

#define HEAP_ITEM_BYTES(items)                                                                     \
    (sizeof *(items) + 0 * sizeof(char[sizeof *(items) <= HEAP_ITEM_MAX ? 1 : -1]))

/* Makes a heap of the array. */
#define heap_make(items, count, before)                                                            \
    heap_make_bytes((items), HEAP_ITEM_BYTES(items), (count), (before))

/* Moves the changed item `at` down to its place. It must not come before the one above it. */
#define heap_sift(items, count, at, before)                                                        \
    heap_sift_bytes((items), HEAP_ITEM_BYTES(items), (count), (at), (before))

/* Is given items one by one and keeps the `room` that come last. Takes their number so far and
 * returns the new one. Once full, the array is a heap: items[0] is the bar that further items have
 * to pass. */
#define heap_keep(items, count, room, item, before)                                                \
    heap_keep_bytes((items), HEAP_ITEM_BYTES(items), (count), (room), (item), (before))

#endif
