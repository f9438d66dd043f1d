/*
 * The dictionary of the chunk that is being decoded: what its slots were defined as. A definition
 * is looked up at the slot's first use, by that event's tick: the definition itself has none, and a
 * module may have come between the two. What was found is kept here, and stays where the next chunk
 * gives a slot the same meaning: most do, as the collector chooses slots by addresses.
 *
 * Slots are less than FISQL_SLOTS_MAX; who reads events has checked that.
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
    uint32_t kept[FISQL_SLOTS_MAX];        /* the same, of `definitions`, also of chunks before */
    uint32_t alloc_sites[FISQL_SLOTS_MAX]; /* sites.id; likewise */
};

/* Forgets all definitions: a chunk begins. */
void dictionary_clear(struct dictionary *dictionary);
/* And what the same ones were in chunks before: a pair of addresses may mean something else now. */
void dictionary_forget(struct dictionary *dictionary);
/* What a slot's definition of a call was found to be; pair as in `pairs`. */
static inline void dictionary_keep(struct dictionary *dictionary, uint32_t slot, uint32_t pair)
{
    dictionary->pairs[slot] = dictionary->kept[slot] = pair;
}

void dictionary_define(struct dictionary *dictionary, uint32_t slot, struct definition definition);

/* What a slot was defined as, a call's or an allocation's. An error of the kind damage where it was
 * not, or as the other. Borrowed. */
int dictionary_call(const struct dictionary *dictionary, uint32_t slot,
                    const struct definition **out, struct error *error);
int dictionary_alloc(const struct dictionary *dictionary, uint32_t slot,
                     const struct definition **out, struct error *error);

#endif
