/*
 * The clock of the hooks. Ticks come from the cheapest counter that runs at one rate on all cores:
 * the invariant TSC on x86-64, the virtual counter on aarch64; clock_gettime(CLOCK_MONOTONIC)
 * elsewhere. Chunks tie ticks to CLOCK_MONOTONIC, so nothing here needs to know the rate. That clock is
 * the kernel's: a library such as libfaketime may have taken clock_gettime() over, and lets time pass as it
 * likes.
 */
#ifndef FISQL_COLLECTOR_CORE_CLOCK_H
#define FISQL_COLLECTOR_CORE_CLOCK_H

#include "collector/core/base.h"

#include <time.h>

/* 128-bit products are GNU C, not ISO C. */
__extension__ typedef unsigned __int128 uint128;

enum clock_kind {
    CLOCK_COUNTER,     /* TSC or cntvct */
    CLOCK_SYSTEM,      /* clock_gettime, in nanoseconds */
    CLOCK_SWITCHED_OFF /* --no-time: the tick never changes */
};

static inline uint64_t clock_system_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The counter itself; not ordered against the instructions around it, which costs less and moves a
 * reading by less than its own length. */
static inline uint64_t clock_counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return clock_system_ns();
#endif
}

/* Stands in for the time where there is none: counts the changes of the module map, so that a
 * function is still told from one that lay at its address before. */
extern HIDDEN uint64_t clock_epoch;

static inline uint64_t clock_read(enum clock_kind kind)
{
    if (__builtin_expect(kind == CLOCK_COUNTER, 1))
        return clock_counter();
    return kind == CLOCK_SYSTEM ? clock_system_ns()
                                : __atomic_load_n(&clock_epoch, __ATOMIC_ACQUIRE);
}

/* Chooses the clock for this machine. */
enum clock_kind clock_choose(void);

/* FISQL_CLOCK_..., for the log. */
const char *clock_name(enum clock_kind kind);

/* Reads the tick and CLOCK_MONOTONIC as near to each other as can be. */
void clock_pair(enum clock_kind kind, uint64_t *tick, uint64_t *ns);

/* Reads a pair as clock_pair() does. */
typedef void clock_reader(enum clock_kind kind, uint64_t *tick, uint64_t *ns);

/* Ticks per second, measured by pairs of `read` since the pair (tick, ns), waiting until that is long
 * enough ago; from now on where ns is 0 or the pair makes no sense. 1e9 for the system clock; 0 where
 * the two clocks do not agree on a rate that a counter has: one of them cannot be used. */
uint64_t clock_rate(clock_reader *read, enum clock_kind kind, uint64_t tick, uint64_t ns);

/* The program forbids the system call that pairs are read by: the C library's function is called. */
void clock_forbid_call(void);

#endif
