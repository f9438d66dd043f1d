/*
 * Names, files and lines of addresses in a process that runs (or that died and is not yet reaped), by
 * what /proc/PID/maps says that lies where. Modules are read when the first address in them is asked.
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
    const char *short_name;   /* as people say it (short_name.h); NULL = not known */
    const char *linkage_name; /* NULL where it is the name */
    const char *file;         /* NULL = not known */
    uint32_t line;
    const char *module; /* path; NULL = the address lies in none */
    uint64_t offset;    /* address in the module's file, or as it was given where there is none */
};

/* Reads where the process's modules lie. -1: its maps cannot be read, or no memory. */
int live_names_open(struct live_names **names, uint32_t pid, const struct symbols_options *options,
                    struct error *error);
void live_names_close(struct live_names *names);

/* Scopes of fisql_trace.h have names, too, from then on: those of an image of the process. Borrowed. */
void live_names_use_points(struct live_names *names, struct live_points *points,
                           uint64_t process_key);

/* Reads them again: modules that were loaded meanwhile are found then. */
int live_names_refresh(struct live_names *names, struct error *error);

/* A function by its address, where it is defined. */
void live_names_function(struct live_names *names, uint64_t address, struct live_place *place);

/* A call by its return address: the function that it lies in, the line of the user's own code. */
void live_names_site(struct live_names *names, uint64_t address, struct live_place *place);

#endif
