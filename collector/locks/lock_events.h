/*
 * What libfisql-locks.so, which stands in front of locks (locks.h), has of the collector: the thread's slot and
 * clock, and records of locks in the log. What it wants to be told is behind one pointer: without it nothing is
 * paid but a look at that.
 */
#ifndef FISQL_COLLECTOR_LOCKS_LOCK_EVENTS_H
#define FISQL_COLLECTOR_LOCKS_LOCK_EVENTS_H

#include "collector/core/feature.h"
#include "formats/live.h"

#include <stdbool.h>

struct lock_watch {
    void (*freed)(uint64_t address); /* a block is about to be freed */
    void (*ending)(void);            /* the process ends: write what is only counted so far */
};

/* What record --locks asks for, as in FISQL_OPTIONS: 0 = nothing, or not now. Tells `watch` from then on. */
EXPORT uint32_t fisql_lock_mode(const struct lock_watch *watch);
/* The slot in which the calling thread records, NULL = none now; *tick: the clock. */
EXPORT struct fisql_live_slot *fisql_lock_now(uint64_t *tick);
/* Ticks of a second, about. */
EXPORT uint64_t fisql_lock_second(void);
/* Records it. Returns false where nothing is recorded now. */
EXPORT bool fisql_lock_record(const struct fisql_lock_record *record);
/* There is no memory for a lock, or for what a thread does with locks: the log says so, once for each process. */
EXPORT void fisql_lock_lost(void);

extern HIDDEN const struct lock_watch *lock_watch; /* atomic; NULL = nobody wants to know */

static inline void lock_events_freed(uint64_t address)
{
    const struct lock_watch *watch = __atomic_load_n(&lock_watch, __ATOMIC_ACQUIRE);
    if (UNLIKELY(watch != NULL))
        watch->freed(address);
}

extern HIDDEN const struct feature locks_feature;

#endif
