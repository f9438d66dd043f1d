/* A hash table of numbers: see slots.h. */
#include "base/slots.h"

#include <string.h>

#include "base/large.h"
#include "base/must.h"

#define CLEARED_BYTES_MAX ((size_t)1 << 18)

static void put(const struct slots *slots, uint64_t item)
{
    uint32_t at = (uint32_t)(item >> 32);
    while (slots->items[at & slots->mask] != 0)
        at++;
    slots->items[at & slots->mask] = item;
}

static size_t bytes_of(const struct slots *slots)
{
    return slots->items == NULL ? 0 : ((size_t)slots->mask + 1) * sizeof *slots->items;
}

size_t slots_grown_bytes(const struct slots *slots)
{
    return slots->items == NULL ? 64 * sizeof *slots->items : bytes_of(slots) * 2;
}

int slots_grow(struct slots *slots, void *zeros, struct error *error)
{
    uint32_t size = (uint32_t)(slots_grown_bytes(slots) / sizeof *slots->items);
    struct slots grown = {.items = zeros, .mask = size - 1, .count = slots->count};
    if (size == 0 || zeros == NULL) {
        large_free(zeros, slots_grown_bytes(slots));
        return error_set(error, "out of memory for a table of %u numbers", slots->count);
    }
    for (size_t i = 0; slots->items != NULL && i <= slots->mask; i++)
        if (slots->items[i] != 0)
            put(&grown, slots->items[i]);
    large_free(slots->items, bytes_of(slots));
    *slots = grown;
    return 0;
}

int slots_add(struct slots *slots, uint32_t hash, uint32_t number, struct error *error)
{
    if (slots_is_full(slots) &&
        slots_grow(slots, large_alloc(slots_grown_bytes(slots)), error) != 0)
        return -1;
    must(number != SLOTS_NONE && slots->count <= slots->mask); /* a search ends at an empty slot */
    put(slots, (uint64_t)hash << 32 | (number + 1));
    slots->count++;
    return 0;
}

void slots_clear(struct slots *slots)
{
    if (bytes_of(slots) > CLEARED_BYTES_MAX)
        slots_release(slots);
    else if (slots->count > 0)
        memset(slots->items, 0, bytes_of(slots));
    slots->count = 0;
}

void slots_release(struct slots *slots)
{
    large_free(slots->items, bytes_of(slots));
    memset(slots, 0, sizeof *slots);
}
