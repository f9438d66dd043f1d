/* The dictionary of a chunk: pairs of function and site, which events name by slot. */
#ifndef FISQL_COLLECTOR_CORE_DICTIONARY_H
#define FISQL_COLLECTOR_CORE_DICTIONARY_H

#include "collector/core/base.h"
#include "collector/core/thread_log.h"
#include "formats/events.h"

#include <string.h>

#define DICTIONARY_ENTRIES 2048u
_Static_assert(DICTIONARY_ENTRIES <= FISQL_SLOTS_MAX, "slots must fit their code");

struct pair {
    uint64_t function;
    uint64_t site;
};

static inline uint32_t pair_slot(uint64_t function, uint64_t site)
{
    uint64_t mixed = (function ^ (site << 7)) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(mixed >> (64 - 11));
}
_Static_assert(DICTIONARY_ENTRIES == 1u << 11, "pair_slot() takes the top 11 bits");

static inline bool pair_is(const struct thread_log *log, uint32_t slot, uint64_t function,
                           uint64_t site)
{
    const struct pair *pair = &log->dictionary[slot];
    return pair->function == function && pair->site == site;
}

/* The same with one jump. */
static inline bool pair_is_at_once(const struct thread_log *log, uint32_t slot, uint64_t function,
                                   uint64_t site)
{
    const struct pair *pair = &log->dictionary[slot];
    return ((pair->function ^ function) | (pair->site ^ site)) == 0;
}

/* A pair lives in its hash slot or in that slot's neighbour in the same cache line: else two busy
 * pairs of one slot would be defined anew at every call. Returns the pair's slot, or its future
 * one. */
static inline uint32_t pair_find(struct thread_log *log, uint64_t function, uint64_t site)
{
    uint32_t slot = pair_slot(function, site);
    if (LIKELY(pair_is(log, slot, function, site)))
        return slot;
    if (pair_is(log, slot ^ 1, function, site))
        return slot ^ 1;
    if (pair_is(log, slot, 0, 0))
        return slot;
    return pair_is(log, slot ^ 1, 0, 0) || (log->victim++ & 1) != 0 ? slot ^ 1 : slot;
}

/* Puts the pair in the slot, and what defines it at `units`, which have room for
 * FISQL_UNITS_DEFINE_FAR. Returns how many it takes. */
static inline uint32_t pair_define(struct thread_log *log, uint16_t *units, uint32_t slot,
                                   uint64_t function, uint64_t site)
{
    log->dictionary[slot] = (struct pair){function, site};
    if (log->chunk->base_address == 0)
        log->chunk->base_address = function != 0 ? function : site;
    uint64_t near_function = function - log->chunk->base_address;
    uint64_t near_site = site - log->chunk->base_address;
    if ((int64_t)near_function == (int32_t)near_function &&
        (int64_t)near_site == (int32_t)near_site) {
        const uint32_t both[2] = {(uint32_t)near_function, (uint32_t)near_site};
        units[0] = (uint16_t)((FISQL_CODE_DEFINE_NEAR + slot) << 1 | 1u);
        memcpy(units + 1, both, sizeof both);
        return FISQL_UNITS_DEFINE_NEAR;
    }
    const uint64_t both[2] = {function, site};
    units[0] = (uint16_t)((FISQL_CODE_DEFINE_FAR + slot) << 1 | 1u);
    memcpy(units + 1, both, sizeof both);
    return FISQL_UNITS_DEFINE_FAR;
}

#endif
