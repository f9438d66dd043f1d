/* Chooses the clock and ties it to CLOCK_MONOTONIC: see clock.h. */
#include "collector/core/clock.h"

#include "collector/core/silent.h"
#include "collector/core/system_call.h"
#include "formats/log.h"

#include <sys/syscall.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* At this distance two pairs, each off by some 30 ns, give the rate to 0.02 %. Only the hooks' cost
 * and --min-duration depend on it, not the times. */
#define RATE_SPAN_NS 300000u

/* Bounds of a real machine's TSC, in ticks per second. */
#define RATE_MIN 100000000u
#define RATE_MAX 10000000000u

/* We measure the rate so often before we give the clocks up. */
#define RATE_TRIES 4

/* Ticks after which RATE_SPAN_NS have passed by any clock that runs; some 3 ms. */
#define RATE_TICKS_MAX (4 * (RATE_MAX / 1000000u) * (RATE_SPAN_NS / 1000u))

uint64_t clock_epoch;
static uint32_t call_forbidden; /* atomic */

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
#if defined(__aarch64__)
    const char *counter = FISQL_CLOCK_CNTVCT;
#else
    const char *counter = FISQL_CLOCK_TSC;
#endif
    if (kind == CLOCK_SWITCHED_OFF)
        return FISQL_CLOCK_NONE;
    return clock_is_counter(kind) ? counter : FISQL_CLOCK_MONOTONIC;
}

void clock_forbid_call(void)
{
    __atomic_store_n(&call_forbidden, 1, __ATOMIC_RELAXED);
}

static uint64_t clock_kernel_ns(void)
{
    struct timespec now = {0, 0};
    const long argument[6] = {CLOCK_MONOTONIC, (long)(intptr_t)&now};
    if (__atomic_load_n(&call_forbidden, __ATOMIC_RELAXED) != 0 ||
        system_call(SYS_clock_gettime, argument) != 0)
        return clock_system_ns();
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void clock_pair(enum clock_kind kind, uint64_t *tick, uint64_t *ns)
{
    if (!clock_is_counter(kind)) {
        *ns = clock_system_ns();
        *tick = kind == CLOCK_SYSTEM ? *ns : 0;
        return;
    }
    if (silent()) { /* the kernel's clock would take a system call */
        *tick = clock_counter();
        *ns = 0;
        return;
    }
    /* The tightest of three tries: an interrupt between the readings would shift the pair. */
    uint64_t best = UINT64_MAX;
    *tick = *ns = 0;
    for (int attempt = 0; attempt < 3; attempt++) {
        uint64_t before = clock_counter();
        uint64_t now = clock_kernel_ns();
        uint64_t after = clock_counter();
        if (after - before < best) {
            best = after - before;
            *tick = before + (after - before) / 2;
            *ns = now;
        }
    }
}

uint64_t clock_rate(clock_reader *read, enum clock_kind kind, uint64_t tick, uint64_t ns)
{
    if (!clock_is_counter(kind))
        return 1000000000u;
#if defined(__aarch64__)
    (void)read, (void)tick, (void)ns;
    uint64_t frequency;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
    return frequency;
#else
    /* The first pair may be missing, or come from another machine or time namespace. */
    for (int attempt = 0; attempt < RATE_TRIES; attempt++, ns = 0) {
        uint64_t now_tick, now_ns;
        if (ns == 0)
            read(kind, &tick, &ns);
        do
            read(kind, &now_tick, &now_ns);
        while (now_ns >= ns && now_ns - ns < RATE_SPAN_NS && now_tick >= tick &&
               now_tick - tick < RATE_TICKS_MAX);
        if (now_ns < ns || now_ns - ns < RATE_SPAN_NS || now_tick < tick)
            continue;
        uint128 rate = (uint128)(now_tick - tick) * 1000000000u / (now_ns - ns);
        if (rate >= RATE_MIN && rate <= RATE_MAX)
            return (uint64_t)rate;
    }
    return 0;
#endif
}
