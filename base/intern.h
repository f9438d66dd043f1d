/*
 * Numbers keys: a hash table from a key of two 64-bit words to a dense index, in the order in which
 * the keys were first seen. The caller keeps its data in an array under that index. Open
 * addressing, at most half full.
 *
 * Not safe for threads. Zero-initialised is empty.
 */
#ifndef FISQL_BASE_INTERN_H
#define FISQL_BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct intern_key {
    uint64_t a, b;
};

struct intern {
    struct intern_key *keys; /* by index */
    size_t keys_capacity;
    uint32_t count;
    uint32_t *slots; /* index + 1, 0 = empty */
    uint32_t slots_mask;
};

#define INTERN_NONE UINT32_MAX

/* The key's index; INTERN_NONE if it was never seen. */
uint32_t intern_find(const struct intern *table, uint64_t a, uint64_t b);

/* The key's index; a new key gets the next one (then *index + 1 == count). 0, or -1 when memory ran
 * out. */
MUST_CHECK int intern_add(struct intern *table, uint64_t a, uint64_t b, uint32_t *index,
                          struct error *error);

/* Forgets all keys and keeps the memory. */
void intern_clear(struct intern *table);
void intern_release(struct intern *table);

static inline uint64_t intern_pack(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

#endif
