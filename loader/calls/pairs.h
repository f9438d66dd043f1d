/*
 * Pairs of a function and the site that calls it, by their addresses in one process. Names are only
 * looked up when a pair is first seen; afterwards its index is enough.
 *
 * An address means another function once its module was unloaded and another one lies there, so a
 * pair belongs to an *epoch*: the time between two unloads. The collector begins new chunks at
 * unloads, so it is enough to ask when a chunk first uses a pair.
 *
 * A pair also holds what the stack of the thread that is being decoded has of it. One decoder's;
 * not for several threads.
 */
#ifndef FISQL_LOADER_CALLS_PAIRS_H
#define FISQL_LOADER_CALLS_PAIRS_H

#include <stdint.h>

#include "base/error.h"
#include "base/intern.h"
#include "base/slots.h"
#include "loader/log/log_index.h"
#include "loader/program/program.h"

struct pair {
    uint64_t function_address, site_address;
    uint32_t epoch;          /* modules unloaded before */
    uint32_t function, site; /* functions.id, sites.id */
    uint32_t open;           /* calls of it open in the thread */
    uint32_t inherited;      /* of these: calls of a forked child's parent, no calls of its own */
    uint32_t frame;          /* of the outermost of them */
    uint32_t callee; /* what function and site are together, in all processes; see link_key */
    struct function_rollup *rollup; /* of the function; the decoder's business. NULL = not known */
};

struct pairs {
    struct intern callees; /* (function, site) in the program, of all processes: to pair.callee */
    struct slots slots;    /* to items */
    struct pair *items;
    size_t capacity;
    uint64_t *unloads; /* ticks at which the process unloaded modules, ascending */
    size_t unloads_count, unloads_capacity;
    uint32_t process; /* index in log_index.processes */
};

void pairs_init(struct pairs *pairs);
void pairs_release(struct pairs *pairs);

/* Forgets all pairs: those of another process follow, numbered from 0 again. */
int pairs_begin_process(struct pairs *pairs, const struct log_index *index, uint32_t process,
                        struct error *error);

/* No call is open: another thread of the process follows. */
void pairs_begin_thread(struct pairs *pairs);

/* The index in `items` of the pair that two addresses mean at a tick, resolved where it is new. */
int pairs_find(struct pairs *pairs, struct program *program, uint64_t function, uint64_t site,
               uint64_t tick, uint32_t *index, struct error *error);

#endif
