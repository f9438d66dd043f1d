/*
 * Pairs of a function and the site that calls it, by their addresses in one process. A pair's names
 * are looked up when it is first seen; afterwards its index is enough.
 *
 * When a module is unloaded and another one takes its place, an address means another function. So
 * a pair belongs to an *epoch*: the time between two unloads. The collector begins new chunks at
 * unloads, so it is enough to look when a chunk first uses a pair.
 *
 * A pair also counts its calls on the decoded thread's stack. Pairs belong to one decoder.
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
    uint32_t epoch;                 /* modules unloaded before */
    uint32_t function, site;        /* functions.id, sites.id */
    uint32_t open;                  /* its open calls in the thread */
    uint32_t inherited;             /* of these: calls of a forked child's parent */
    uint32_t frame;                 /* of the outermost of them */
    uint32_t callee;                /* number of (function, site), in all processes; see link_key */
    struct function_rollup *rollup; /* of the function; set by the decoder. NULL = not known */
};

struct pairs {
    struct intern callees; /* (function, site) of all processes, to pair.callee */
    struct slots slots;    /* to items */
    struct pair *items;
    size_t capacity;
    uint64_t *unloads; /* ticks at which the process unloaded modules, ascending */
    size_t unloads_count, unloads_capacity;
    uint32_t process; /* index in log_index.processes */
};

void pairs_init(struct pairs *pairs);
void pairs_release(struct pairs *pairs);

/* Another process follows: forgets all pairs. The next one gets index 0. */
int pairs_begin_process(struct pairs *pairs, const struct log_index *index, uint32_t process,
                        struct error *error);

/* Another thread of the process follows: no call is open. */
void pairs_begin_thread(struct pairs *pairs);

/* The index in `items` of the pair that two addresses mean at a tick; resolves a new one. */
int pairs_find(struct pairs *pairs, struct program *program, uint64_t function, uint64_t site,
               uint64_t tick, uint32_t *index, struct error *error);

#endif
