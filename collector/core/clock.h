/*
 * The clock of the hooks. Ticks come from the cheapest counter with one rate on all cores: the
 * invariant TSC on x86-64, the virtual counter on aarch64, elsewhere
 * clock_gettime(CLOCK_MONOTONIC). Chunks tie ticks to CLOCK_MONOTONIC, so nothing here needs the
 * rate. We ask the kernel for that clock: a library such as libfaketime may replace
 * clock_gettime().
 */
#ifndef FISQL_COLLECTOR_CORE_CLOCK_H
#define FISQL_COLLECTOR_CORE_CLOCK_H

#include "collector/core/base.h"

#include <stdbool.h>
#include <time.h>

/* 128-bit products are GNU C, not ISO C. */
__extension__ typedef unsigned __int128 uint128;

enum clock_kind {
    CLOCK_COUNTER,      /* TSC or cntvct */
    CLOCK_SYSTEM,       /* clock_gettime, in nanoseconds */
    CLOCK_SWITCHED_OFF, /* --time none: the tick counts: see clock_epoch */
    CLOCK_SAMPLED       /* --time sampled: the counter, read at some calls (sampled.h) */
};

static inline uint64_t clock_system_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The counter, not ordered against the instructions around it: this is cheaper and moves a reading
 * by less than its own duration. */
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

/* The tick with --time none: counts the changes of the module map, to distinguish a function from one
 * that lay at its address before, and allocations and frees, to tell their order between threads. */
extern HIDDEN uint64_t clock_epoch;

static inline uint64_t clock_read(enum clock_kind kind)
{
    if (__builtin_expect(kind == CLOCK_COUNTER, 1))
        return clock_counter();
    if (kind == CLOCK_SAMPLED)
        return clock_counter() | 1;
    return kind == CLOCK_SYSTEM ? clock_system_ns()
                                : __atomic_load_n(&clock_epoch, __ATOMIC_ACQUIRE);
}

/* For what must have an order between threads: a tick later than those read before. */
static inline uint64_t clock_read_order(enum clock_kind kind)
{
    return kind == CLOCK_SWITCHED_OFF ? __atomic_add_fetch(&clock_epoch, 1, __ATOMIC_ACQ_REL)
                                      : clock_read(kind);
}

static inline bool clock_is_counter(enum clock_kind kind)
{
    return kind == CLOCK_COUNTER || kind == CLOCK_SAMPLED;
}

enum clock_kind clock_choose(void);

/* FISQL_CLOCK_... for the log. */
const char *clock_name(enum clock_kind kind);

/* Reads the tick and CLOCK_MONOTONIC as closely together as possible. */
void clock_pair(enum clock_kind kind, uint64_t *tick, uint64_t *ns);

typedef void clock_reader(enum clock_kind kind, uint64_t *tick, uint64_t *ns);

/* Ticks per second, measured by pairs of `read` since the pair (tick, ns); waits until that is long
 * enough ago. Measures from now on if ns is 0 or the pair makes no sense. 1e9 for the system clock;
 * 0 if the two clocks agree on no rate that a counter can have: then one of them is unusable. */
uint64_t clock_rate(clock_reader *read, enum clock_kind kind, uint64_t tick, uint64_t ns);

/* From now on the C library reads pairs: the program forbids our system call. */
void clock_forbid_call(void);

#endif
