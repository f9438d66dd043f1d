/*
 * The first stage of memory.h: a thread's events from the decoder.
 *
 * We add to each event what the thread can know alone: its place, which of the thread's own blocks
 * a free ends, and the block's owner. We sum leaks by function: a call leaks what its thread
 * allocated within it less what it freed of its own (see memory.h). Each open call with events
 * within has its net bytes: an event adds to the innermost call's, and a call's exit hands its net
 * to its caller. So events cost the same at any depth, and calls without events cost nothing.
 */
#ifndef FISQL_LOADER_MEMORY_MEMORY_THREAD_H
#define FISQL_LOADER_MEMORY_MEMORY_THREAD_H

#include "base/intern.h"
#include "loader/memory/memory.h"
#include "loader/memory/memory_blocks.h"
#include "loader/memory/memory_places.h"
#include "loader/memory/memory_spool.h"
#include "loader/memory/memory_sums.h"

/* ---- what leaks ---- */

struct memory_leaks {
    struct memory_watch watch; /* first; the depth of the innermost net */
    /* By ascending depth. */
    struct memory_net {
        uint32_t depth;
        int64_t bytes;
    } * nets;
    size_t nets_count, nets_capacity;
    struct intern functions; /* (functions.id, 0) */
    struct memory_leak {
        uint64_t calls, bytes, worst_bytes, worst_call;
    } * leaks; /* by function's index */
    size_t leaks_capacity;
};

/* Adds to the net bytes of the open call at `depth`, at least the depth of every net. Depth 0 is no
 * call. */
int memory_leaks_add(struct memory_leaks *leaks, uint32_t depth, int64_t bytes,
                     struct error *error);

/* The call of the innermost net ends. finished: it returned or was unwound, so it may have leaked.
 * Returns 0, or -1 without memory; the nets are right even then. */
int memory_leaks_exit(struct memory_leaks *leaks, const struct memory_open_call *call,
                      bool finished, struct error *error);

/* Adds the leaks to those of all threads. */
int memory_leaks_merge(const struct memory_leaks *leaks, struct memory_sums *sums,
                       struct error *error);

/* Frees what only open calls need. */
void memory_leaks_trim(struct memory_leaks *leaks);
void memory_leaks_release(struct memory_leaks *leaks);

/* ---- the thread ---- */

/* The outermost open call of a function that recurs, as it was found last. */
struct memory_root {
    uint32_t function, depth; /* depth 0 = none */
    uint64_t call;
};

enum { MEMORY_ROOTS = 16 }; /* by the function's number */

/* From `tick` on, events may be missing. */
struct memory_gap {
    bool any;
    uint64_t tick;
};

struct memory_thread {
    struct memory_leaks leaks;  /* first: memory_call_exit reads its watch */
    struct memory_store *store; /* of all threads */
    uint32_t id, process;
    struct memory_own own;
    struct memory_places places;
    struct memory_spool spool;
    struct memory_root roots[MEMORY_ROOTS];
    struct memory_gap gap;
};

void memory_thread_release(struct memory_thread *thread);

#endif
