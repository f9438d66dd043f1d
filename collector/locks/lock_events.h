/*
 * What the collector offers libfisql-locks.so (locks.h): the thread's slot and clock, and records
 * of locks in the log. One pointer leads to the library's functions: without the library we pay for
 * a look at it alone.
 */
#ifndef FISQL_COLLECTOR_LOCKS_LOCK_EVENTS_H
#define FISQL_COLLECTOR_LOCKS_LOCK_EVENTS_H

#include "collector/core/feature.h"
#include "formats/live.h"

#include <stdbool.h>

struct lock_watch {
    void (*freed)(uint64_t address); /* a block is about to be freed */
    void (*ending)(void);            /* the process ends: writes what is only counted so far */
};

/* What record --locks asks for, as in FISQL_OPTIONS: 0 = nothing, or not now. Else we call `watch`
 * from now on. */
EXPORT uint32_t fisql_lock_mode(const struct lock_watch *watch);
/* The slot in which the calling thread records, NULL = none now. Sets *tick to the clock. */
EXPORT struct fisql_live_slot *fisql_lock_now(uint64_t *tick);
/* The calling thread's innermost calls; leaves the tick. */
EXPORT void fisql_lock_stack(struct fisql_live_stack *stack);
/* Ticks in a second, approximately. */
EXPORT uint64_t fisql_lock_second(void);
/* Writes the record. Returns false if recording is off. */
EXPORT bool fisql_lock_record(const struct fisql_lock_record *record);
/* There is no memory for a lock, or for what a thread does with locks: says so in the log, once in
 * each process. */
EXPORT void fisql_lock_lost(void);

extern HIDDEN const struct lock_watch *lock_watch; /* atomic; NULL = nobody watches */

static inline void lock_events_freed(uint64_t address)
{
    const struct lock_watch *watch = __atomic_load_n(&lock_watch, __ATOMIC_ACQUIRE);
    if (UNLIKELY(watch != NULL))
        watch->freed(address);
}

extern HIDDEN const struct feature locks_feature;

#endif
