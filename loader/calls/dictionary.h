/*
 * The dictionary of the decoded chunk: the definitions of its slots. A definition is resolved at
 * the slot's first use, by that event's tick: the definition has no tick, and a module may have
 * been loaded between the two. The answer is kept if the next chunk defines the slot in the same
 * way, as most do, because the collector chooses slots by addresses.
 *
 * Slots are less than FISQL_SLOTS_MAX: event_next() checks that.
 */
#ifndef FISQL_LOADER_CALLS_DICTIONARY_H
#define FISQL_LOADER_CALLS_DICTIONARY_H

#include <stdint.h>

#include "base/error.h"
#include "formats/log.h"

struct definition {
    uint64_t function, site; /* addresses; function 0 = the place of an allocation */
};

struct dictionary {
    struct definition definitions[FISQL_SLOTS_MAX];
    uint8_t defined[FISQL_SLOTS_MAX];
    uint32_t pairs[FISQL_SLOTS_MAX];       /* index in pairs.items + 1; 0 = not looked up */
    uint32_t kept[FISQL_SLOTS_MAX];        /* the same, kept from earlier chunks, too */
    uint32_t alloc_sites[FISQL_SLOTS_MAX]; /* sites.id; 0 = not looked up */
};

/* Forgets all definitions: a chunk begins. */
void dictionary_clear(struct dictionary *dictionary);
/* Forgets the answers of earlier chunks, too: addresses may mean something else now. */
void dictionary_forget(struct dictionary *dictionary);
/* Keeps the answer for a call's slot; pair as in `pairs`. */
static inline void dictionary_keep(struct dictionary *dictionary, uint32_t slot, uint32_t pair)
{
    dictionary->pairs[slot] = dictionary->kept[slot] = pair;
}

void dictionary_define(struct dictionary *dictionary, uint32_t slot, struct definition definition);

/* The slot's definition, as a call or as an allocation; borrowed. ERROR_DAMAGE if it has none, or
 * one of the other sort. */
int dictionary_call(const struct dictionary *dictionary, uint32_t slot,
                    const struct definition **out, struct error *error);
int dictionary_alloc(const struct dictionary *dictionary, uint32_t slot,
                     const struct definition **out, struct error *error);

#endif
