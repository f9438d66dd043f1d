/*
 * An open hash table of numbers: a slot holds a number and the hash of the item that it means, 8 bytes
 * in all, so that a look-up mostly touches one line of the table and then the item. The caller knows
 * the items, and whether one is the right one:
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

/* The next number with this hash, from slot *at on; *at is the slot behind it then. */
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

/* Whether it grows with the next number. */
static inline bool slots_is_full(const struct slots *slots)
{
    return slots->items == NULL || slots->count > slots->mask / 4 * 3;
}
/* The size that it has after it has grown next. */
size_t slots_grown_bytes(const struct slots *slots);
/* Lets it grow now, into so many bytes from large_alloc that are zero: they are the table's then. NULL: there was
 * no memory. */
MUST_CHECK int slots_grow(struct slots *slots, void *zeros, struct error *error);

/* Adds a number that is not in it. 0, or -1 when memory ran out. */
MUST_CHECK int slots_add(struct slots *slots, uint32_t hash, uint32_t number, struct error *error);
/* Forgets all numbers, and the memory where it is large: ten thousand small uses must not each pay for
 * the size of one. */
void slots_clear(struct slots *slots);
void slots_release(struct slots *slots);

#endif
