/* Dense numbers for keys: see intern.h. */
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/must.h"

#define SLOTS_KEPT (1u << 16)

static uint32_t hash(uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ (b << 23 | b >> 41)) * 0x9e3779b97f4a7c15u;
    h ^= b + (h >> 29);
    h *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)(h >> 32);
}

/* The slot that holds the key, or the empty one where it belongs. */
static uint32_t *find_slot(const struct intern *table, uint64_t a, uint64_t b)
{
    for (uint32_t at = hash(a, b);; at++) {
        uint32_t *slot = &table->slots[at & table->slots_mask];
        if (*slot == 0)
            return slot;
        const struct intern_key *key = &table->keys[*slot - 1];
        if (key->a == a && key->b == b)
            return slot;
    }
}

uint32_t intern_find(const struct intern *table, uint64_t a, uint64_t b)
{
    if (table->count == 0)
        return INTERN_NONE;
    return *find_slot(table, a, b) - 1; /* 0 - 1 is INTERN_NONE */
}

static int grow(struct intern *table, struct error *error)
{
    uint32_t slots = table->slots == NULL ? 64 : (table->slots_mask + 1) * 2;
    uint32_t *grown = slots == 0 ? NULL : calloc(slots, sizeof *grown);
    if (grown == NULL)
        return error_set(error, "out of memory for a table of %u keys", table->count);
    must(table->count < slots); /* else a search would not end */
    free(table->slots);
    table->slots = grown;
    table->slots_mask = slots - 1;
    for (uint32_t i = 0; i < table->count; i++)
        *find_slot(table, table->keys[i].a, table->keys[i].b) = i + 1;
    return 0;
}

int intern_add(struct intern *table, uint64_t a, uint64_t b, uint32_t *index, struct error *error)
{
    if (table->slots == NULL && grow(table, error) != 0)
        return -1;
    uint32_t *slot = find_slot(table, a, b);
    if (*slot != 0) {
        *index = *slot - 1;
        return 0;
    }
    if (array_reserve(&table->keys, &table->keys_capacity, table->count + 1, error) != 0)
        return -1;
    table->keys[table->count] = (struct intern_key){a, b};
    *slot = ++table->count;
    *index = table->count - 1;
    if (table->count > table->slots_mask / 2)
        return grow(table, error);
    return 0;
}

void intern_clear(struct intern *table)
{
    /* After one large use, ten thousand small ones must not each pay for its size. */
    if (table->slots_mask >= SLOTS_KEPT)
        intern_release(table);
    if (table->count > 0)
        memset(table->slots, 0, ((size_t)table->slots_mask + 1) * sizeof *table->slots);
    table->count = 0;
}

void intern_release(struct intern *table)
{
    free(table->keys);
    free(table->slots);
    memset(table, 0, sizeof *table);
}
