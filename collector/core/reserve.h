/*
 * Memory that comes into being from its start on, as it is needed. Where data is limited
 * (RLIMIT_DATA) the kernel counts private memory as soon as it may be written, used or not; address
 * space that nobody may touch is not counted. So tables that can become large are neither static nor
 * mapped whole: a program that starts within its limit is to start with the collector, too.
 */
#ifndef FISQL_COLLECTOR_CORE_RESERVE_H
#define FISQL_COLLECTOR_CORE_RESERVE_H

#include "collector/core/base.h"

#include <stdbool.h>
#include <stddef.h>

struct reserve {
    unsigned char *start; /* atomic; NULL = nothing is there yet */
    size_t ready_bytes;   /* atomic: so many can be used, and are zero at first */
};

/* Makes the first need_bytes of at most max_bytes usable, which is the same in all calls. Threads may call
 * it side by side, and signal handlers. Returns false where there is no such memory, or none may be asked
 * for (silent.h). errno is kept. */
HIDDEN bool reserve_grow(struct reserve *reserve, size_t max_bytes, size_t need_bytes);

/* The first of the bytes that can be used; NULL = there are none. */
static inline void *reserve_start(const struct reserve *reserve)
{
    return __atomic_load_n(&reserve->ready_bytes, __ATOMIC_ACQUIRE) != 0
               ? __atomic_load_n(&reserve->start, __ATOMIC_RELAXED)
               : NULL;
}

#endif
