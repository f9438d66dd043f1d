/*
 * A lock for the slow path, on a futex: a waiter sleeps, so that the holder runs even if the waiter
 * has a real-time priority on the only core. A waiter also looks now and then: a holder that has
 * become silent (silent.h) wakes nobody, and a silent waiter makes no system call. Take it with
 * signals blocked, else a handler of the same thread would wait forever. The three states are those
 * of Drepper's "Futexes are Tricky" (2011): free, held, held with waiters.
 */
#ifndef FISQL_COLLECTOR_CORE_LOCK_H
#define FISQL_COLLECTOR_CORE_LOCK_H

#include "collector/core/silent.h"

#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LOCK_FREE = 0, LOCK_HELD = 1, LOCK_AWAITED = 2 };

static inline void lock_acquire(uint32_t *lock)
{
    uint32_t state = LOCK_FREE;
    if (__atomic_compare_exchange_n(lock, &state, LOCK_HELD, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    const struct timespec look = {0, 10000000};
    while (__atomic_exchange_n(lock, LOCK_AWAITED, __ATOMIC_ACQUIRE) != LOCK_FREE)
        if (!silent())
            syscall(SYS_futex, lock, FUTEX_WAIT_PRIVATE, LOCK_AWAITED, &look, (void *)0, 0);
}

static inline void lock_release(uint32_t *lock)
{
    if (__atomic_exchange_n(lock, LOCK_FREE, __ATOMIC_RELEASE) == LOCK_AWAITED && !silent())
        syscall(SYS_futex, lock, FUTEX_WAKE_PRIVATE, 1, (void *)0, (void *)0, 0);
}

/* In a forked child, which may not have the thread that holds it. */
static inline void lock_forked(uint32_t *lock)
{
    __atomic_store_n(lock, LOCK_FREE, __ATOMIC_RELAXED);
}

#endif
