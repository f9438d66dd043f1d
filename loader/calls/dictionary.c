/* A chunk's dictionary: see dictionary.h. */
#include "loader/calls/dictionary.h"

#include "base/must.h"

#include <stdbool.h>
#include <string.h>

void dictionary_clear(struct dictionary *dictionary)
{
    /* `defined` says which definitions are valid. */
    memset(dictionary->defined, 0, sizeof dictionary->defined);
    memset(dictionary->pairs, 0, sizeof dictionary->pairs);
    memset(dictionary->alloc_sites, 0, sizeof dictionary->alloc_sites);
}

void dictionary_forget(struct dictionary *dictionary)
{
    memset(dictionary->kept, 0, sizeof dictionary->kept);
}

void dictionary_define(struct dictionary *dictionary, uint32_t slot, struct definition definition)
{
    must(slot < FISQL_SLOTS_MAX); /* event_next() lets no other through */
    const struct definition *before = &dictionary->definitions[slot];
    if (before->function != definition.function || before->site != definition.site)
        dictionary->kept[slot] = 0;
    dictionary->definitions[slot] = definition;
    dictionary->defined[slot] = 1;
    dictionary->pairs[slot] = dictionary->kept[slot];
    dictionary->alloc_sites[slot] = 0;
}

static int find(const struct dictionary *dictionary, uint32_t slot, bool alloc,
                const struct definition **out, struct error *error)
{
    *out = &dictionary->definitions[slot];
    return dictionary->defined[slot] && ((*out)->function == 0) == alloc
               ? 0
               : error_set_kind(error, ERROR_DAMAGE,
                                "a dictionary slot is used before it is defined");
}

int dictionary_call(const struct dictionary *dictionary, uint32_t slot,
                    const struct definition **out, struct error *error)
{
    return find(dictionary, slot, false, out, error);
}

int dictionary_alloc(const struct dictionary *dictionary, uint32_t slot,
                     const struct definition **out, struct error *error)
{
    return find(dictionary, slot, true, out, error);
}
