/* See usage.h. */
#include "collector/core/usage.h"

#include "collector/core/system_call.h"

#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* A reading costs some 400 ns: 2 % if every gap is just longer than this. */
#define GAP_NS 20000u

/* We ask the kernel itself: the program, or a library such as libfaketime, may replace
 * clock_gettime() and getrusage(). */
static bool cpu_clock(clockid_t clock, uint64_t *cpu_ns)
{
    struct timespec cpu = {0, 0};
    const long argument[6] = {clock, (long)(intptr_t)&cpu};
    bool known = system_call(SYS_clock_gettime, argument) == 0;
    *cpu_ns = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
    return known;
}

void usage_read(enum clock_kind clock, struct usage *usage)
{
    struct rusage counts = {.ru_nvcsw = 0};
    const long argument[6] = {RUSAGE_THREAD, (long)(intptr_t)&counts};
    /* One directly after the other: threads are often preempted at a system call's end. */
    cpu_clock(CLOCK_THREAD_CPUTIME_ID, &usage->cpu_ns);
    usage->tick = clock_read(clock);
    system_call(SYS_getrusage, argument);
    usage->waits = (uint32_t)counts.ru_nvcsw;
    usage->preemptions = (uint32_t)counts.ru_nivcsw;
    usage->minor_faults = (uint32_t)counts.ru_minflt;
    usage->major_faults = (uint32_t)counts.ru_majflt;
}

bool usage_cpu_of(uint32_t tid, uint64_t *cpu_ns)
{
    /* The clock of one thread's processor time, as Linux encodes it (include/linux/posix-timers.h:
     * the complement of the id, shifted by three, CPUCLOCK_PERTHREAD_MASK, CPUCLOCK_SCHED). */
    return cpu_clock((clockid_t)(~tid << 3 | 4u | 2u), cpu_ns);
}

uint64_t usage_gap_ticks(uint64_t ticks_per_second)
{
    return (uint64_t)((uint128)ticks_per_second * GAP_NS / 1000000000u);
}

uint64_t usage_ticks(uint64_t gap_ticks, uint64_t ns)
{
    return (uint64_t)((uint128)gap_ticks * ns / GAP_NS);
}
