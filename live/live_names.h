/*
 * Names, files and lines of addresses in a process that runs, or that died and is not yet reaped,
 * by /proc/PID/maps. A module is read at the first question for an address in it.
 * Variables are looked up in the symbol tables, what lies in them in the debug information.
 */
#ifndef FISQL_LIVE_LIVE_NAMES_H
#define FISQL_LIVE_LIVE_NAMES_H

#include <stdint.h>

#include "base/error.h"
#include "live/live_points.h"
#include "debuginfo/symbols/symbols.h"

struct live_names;

/* Texts are borrowed from the names. */
struct live_place {
    const char *name;         /* demangled; NULL = not known */
    const char *short_name;   /* see short_name.h; NULL = not known */
    const char *linkage_name; /* NULL if `name` is the same */
    const char *file;         /* NULL = not known */
    uint32_t line;
    const char *module; /* path; NULL = none holds the address */
    uint64_t offset;    /* address in the module's file; without a module, in the process */
};

/* Reads the map of the process. -1: no map, or no memory. */
int live_names_open(struct live_names **names, uint32_t pid, const struct symbols_options *options,
                    struct error *error);
void live_names_close(struct live_names *names);

/* From now on scopes of fisql_trace.h have names, too: those of this process image. Borrowed. */
void live_names_use_points(struct live_names *names, struct live_points *points,
                           uint64_t process_key);

/* Reads the map again, for modules that were loaded meanwhile. */
int live_names_refresh(struct live_names *names, struct error *error);

/* The function defined at an address. */
void live_names_function(struct live_names *names, uint64_t address, struct live_place *place);

/* The place of a call by its return address: the function around it, the line of the user's own
 * code. */
void live_names_site(struct live_names *names, uint64_t address, struct live_place *place);

/* The variable at an address: `stat_lock`, `cache.lock`. Borrowed from the names; NULL = there is
 * none, or no memory. Looked up once. */
const char *live_names_variable(struct live_names *names, uint64_t address);

#endif
