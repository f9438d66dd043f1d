/*
 * An open hash table of numbers. A slot of 8 bytes holds a number and the hash of its item, so a
 * look-up mostly touches one line of the table and then the item. The caller has the items and
 * compares them:
 *
 *   for (uint32_t at = hash, index; (index = slots_next(table, hash, &at)) != SLOTS_NONE;)
 *       if (is_the_one(index))
 *           return index;
 *
 * At most three quarters full. Not safe for threads. Zero-initialised is empty.
 */
#ifndef FISQL_BASE_SLOTS_H
#define FISQL_BASE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct slots {
    uint64_t *items; /* hash << 32 | number + 1; 0 = empty */
    uint32_t mask, count;
};

#define SLOTS_NONE UINT32_MAX

/* The next number with this hash, from slot *at on. Leaves *at behind its slot. */
static inline uint32_t slots_next(const struct slots *slots, uint32_t hash, uint32_t *at)
{
    if (slots->count == 0)
        return SLOTS_NONE;
    for (;;) {
        uint64_t item = slots->items[(*at)++ & slots->mask];
        if (item == 0)
            return SLOTS_NONE;
        if (item >> 32 == hash)
            return (uint32_t)item - 1;
    }
}

/* The hash of two words that identify an item. */
static inline uint32_t slots_hash(uint64_t a, uint64_t b)
{
    uint64_t mixed = a * UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 32 ^ b) * UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(mixed >> 32);
}

/* Will the next number make it grow? */
static inline bool slots_is_full(const struct slots *slots)
{
    return slots->items == NULL || slots->count > slots->mask / 4 * 3;
}
/* Its size in bytes after growing next. */
size_t slots_grown_bytes(const struct slots *slots);
/* Grows it now into this many zeroed bytes of large_alloc, which it then owns. NULL: no memory. */
MUST_CHECK int slots_grow(struct slots *slots, void *zeros, struct error *error);

/* Adds a new number. 0, or -1 without memory. */
MUST_CHECK int slots_add(struct slots *slots, uint32_t hash, uint32_t number, struct error *error);
/* Forgets all numbers, and large memory: after one large use, ten thousand small ones must not each
 * pay for its size. */
void slots_clear(struct slots *slots);
void slots_release(struct slots *slots);

#endif
