/* What lies at a place within a variable, in the source's words, from debug information: `.lock`,
 * `[3].guard`. */
#ifndef FISQL_DEBUGINFO_SYMBOLS_DATA_PLACES_H
#define FISQL_DEBUGINFO_SYMBOLS_DATA_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "debuginfo/symbols/data_symbols.h"

struct data_place {
    const struct data_symbol *variable;
    uint64_t offset; /* in it */
    char *path;      /* "" = the variable itself; NULL = unknown; owned by the caller */
    bool differs;    /* variables of one name and size differ */
};

/* Finds the paths of places in one module's variables; options as for data_symbols_open(). Goes as
 * deep as it can, but not into a lock, a condition and their like. Returns 0, also if nothing is
 * known; -1 without memory. */
int data_places_find(struct data_place *places, size_t count, const char *path,
                     const char *build_id, const struct symbols_options *options,
                     struct error *error);

/* The name of a found place: `cache.lock`; where the debug information does not know what lies
 * there, `cache+8`. Caller frees; NULL without memory. */
char *data_place_name(const struct data_place *place);

#endif
