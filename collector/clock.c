/* Choosing the clock and tying it to CLOCK_MONOTONIC: see clock.h. */
#include "collector/clock.h"

#include "collector/silent.h"
#include "log_format.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* Two pairs, each off by some 30 ns, then tell the rate to 0.02 %. The hooks' cost and
 * --min-duration are all that depends on it, not the times. */
#define RATE_SPAN_NS 300000u

/* What the TSC of a real machine may run at, in ticks per second. */
#define RATE_MIN 100000000u
#define RATE_MAX 10000000000u

uint64_t clock_epoch;

enum clock_kind clock_choose(void)
{
#if defined(__x86_64__)
    /* CPUID 80000007h EDX bit 8: the TSC runs at a constant rate in all power states (AMD APM
     * volume 3, Intel SDM volume 3 "Invariant TSC"). */
    unsigned eax, ebx, ecx, edx;
    if (__get_cpuid(0x80000007u, &eax, &ebx, &ecx, &edx) && (edx & (1u << 8)))
        return CLOCK_COUNTER;
    return CLOCK_SYSTEM;
#elif defined(__aarch64__)
    return CLOCK_COUNTER;
#else
    return CLOCK_SYSTEM;
#endif
}

const char *clock_name(enum clock_kind kind)
{
    if (kind == CLOCK_SWITCHED_OFF)
        return FISQL_CLOCK_NONE;
#if defined(__x86_64__)
    return kind == CLOCK_COUNTER ? FISQL_CLOCK_TSC : FISQL_CLOCK_MONOTONIC;
#elif defined(__aarch64__)
    return kind == CLOCK_COUNTER ? FISQL_CLOCK_CNTVCT : FISQL_CLOCK_MONOTONIC;
#else
    return FISQL_CLOCK_MONOTONIC;
#endif
}

void clock_pair(enum clock_kind kind, uint64_t *tick, uint64_t *ns)
{
    if (kind != CLOCK_COUNTER) {
        *ns = clock_system_ns();
        *tick = kind == CLOCK_SYSTEM ? *ns : 0;
        return;
    }
    if (silent()) { /* where it is not read without one */
        *tick = clock_counter();
        *ns = 0;
        return;
    }
    /* The tightest of three tries: an interrupt between the readings would shift the pair. */
    uint64_t best = UINT64_MAX;
    *tick = *ns = 0;
    for (int attempt = 0; attempt < 3; attempt++) {
        uint64_t before = clock_counter();
        uint64_t now = clock_system_ns();
        uint64_t after = clock_counter();
        if (after - before < best) {
            best = after - before;
            *tick = before + (after - before) / 2;
            *ns = now;
        }
    }
}

uint64_t clock_rate(enum clock_kind kind, uint64_t tick, uint64_t ns)
{
    if (kind != CLOCK_COUNTER)
        return 1000000000u;
#if defined(__aarch64__)
    (void)tick, (void)ns;
    uint64_t frequency;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
    return frequency;
#else
    uint64_t now_tick, now_ns, rate;
    do {
        clock_pair(kind, &now_tick, &now_ns);
        if (ns == 0 || now_ns < ns || now_tick < tick) {
            tick = now_tick; /* no pair, or one of another machine or time namespace */
            ns = now_ns;
        }
        uint64_t passed = now_ns - ns > 0 ? now_ns - ns : 1;
        rate = (uint64_t)((uint128)(now_tick - tick) * 1000000000u / passed);
        if (now_ns - ns >= RATE_SPAN_NS && (rate < RATE_MIN || rate > RATE_MAX))
            ns = 0;
    } while (ns == 0 || now_ns - ns < RATE_SPAN_NS);
    return rate;
#endif
}
