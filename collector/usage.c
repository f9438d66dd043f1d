/* Reading the kernel's account of a thread: see usage.h. */
#include "collector/usage.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The reading costs some 400 ns, thus 2 % where every gap is just longer. */
#define GAP_NS 20000u

void usage_read(enum clock_kind clock, struct usage *usage)
{
    struct timespec cpu = {0, 0};
    struct rusage counts = {.ru_nvcsw = 0};
    /* The two clocks next to each other: a thread is often put aside when a system call ends. */
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    usage->tick = clock_read(clock);
    /* Not getrusage(), which the program may have taken over. */
    syscall(SYS_getrusage, RUSAGE_THREAD, &counts);
    usage->cpu_ns = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
    usage->waits = (uint32_t)counts.ru_nvcsw;
    usage->preemptions = (uint32_t)counts.ru_nivcsw;
    usage->minor_faults = (uint32_t)counts.ru_minflt;
    usage->major_faults = (uint32_t)counts.ru_majflt;
}

bool usage_cpu_of(uint32_t tid, uint64_t *cpu_ns)
{
    /* The clock of one thread's processor time, as Linux numbers it (include/linux/posix-timers.h:
     * the complement of the id, shifted by three, CPUCLOCK_PERTHREAD_MASK, CPUCLOCK_SCHED). */
    clockid_t clock = (clockid_t)(~tid << 3 | 4u | 2u);
    struct timespec cpu;
    if (clock_gettime(clock, &cpu) != 0)
        return false;
    *cpu_ns = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
    return true;
}

uint64_t usage_gap_ticks(uint64_t ticks_per_second)
{
    return (uint64_t)((uint128)ticks_per_second * GAP_NS / 1000000000u);
}
