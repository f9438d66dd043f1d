/*
 * Memory that we make usable as we need it, from its start on. With RLIMIT_DATA the kernel counts
 * private memory as soon as it is writable, used or not; it does not count inaccessible address
 * space. So tables that can become large are neither static nor mapped writable as a whole: a
 * program that starts within its limit should also start with the collector.
 */
#ifndef FISQL_COLLECTOR_CORE_RESERVE_H
#define FISQL_COLLECTOR_CORE_RESERVE_H

#include "collector/core/base.h"

#include <stdbool.h>
#include <stddef.h>

struct reserve {
    unsigned char *start; /* atomic; NULL = not reserved yet */
    size_t ready_bytes;   /* atomic: usable bytes; they start as zero */
};

/* Makes the first need_bytes usable. max_bytes must be the same in all calls. Threads and signal
 * handlers may call it concurrently. Returns false if there is no memory, or silence (silent.h)
 * forbids asking for it. Keeps errno. */
HIDDEN bool reserve_grow(struct reserve *reserve, size_t max_bytes, size_t need_bytes);

/* The first usable byte; NULL = none. */
static inline void *reserve_start(const struct reserve *reserve)
{
    return __atomic_load_n(&reserve->ready_bytes, __ATOMIC_ACQUIRE) != 0
               ? __atomic_load_n(&reserve->start, __ATOMIC_RELAXED)
               : NULL;
}

/* Called with each part of the address space that was taken, if somebody wants to give it back
 * (mapped.h); NULL = nobody does. */
extern HIDDEN void (*reserve_taken)(uint64_t start, uint64_t bytes);

#endif
