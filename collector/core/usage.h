/*
 * What the kernel knows of a thread: its processor time, how often it gave the processor up or was
 * preempted, its page faults. We read it if two of a thread's events lie more than some 20
 * microseconds apart (usage_gap_ticks()), at a thread's start and at its end. So a reader of the
 * log knows how much of each such gap was spent on the processor, and how much waiting.
 *
 * Readings are absolute, so the hooks keep nothing: what a reading misses that a signal handler's
 * hooks interrupt is in the next one.
 */
#ifndef FISQL_COLLECTOR_CORE_USAGE_H
#define FISQL_COLLECTOR_CORE_USAGE_H

#include "collector/core/clock.h"

#include <stdbool.h>

struct usage {
    uint64_t tick;         /* when it was read */
    uint64_t cpu_ns;       /* CLOCK_THREAD_CPUTIME_ID */
    uint32_t waits;        /* voluntary context switches; from here on modulo 2^32 */
    uint32_t preemptions;  /* involuntary ones */
    uint32_t minor_faults; /* page faults without input or output */
    uint32_t major_faults; /* and with it */
};

/* Reads the calling thread's: two system calls, no allocation, safe in signal handlers. */
void usage_read(enum clock_kind clock, struct usage *usage);

/* Reads the processor time of a thread of this process; 0 = the calling one. False: it is gone. */
bool usage_cpu_of(uint32_t tid, uint64_t *cpu_ns);

/* A longer time between two events of a thread, in ticks, is a gap and takes a reading. */
uint64_t usage_gap_ticks(uint64_t ticks_per_second);
/* Ticks in ns nanoseconds; gap_ticks is the result of usage_gap_ticks(). */
uint64_t usage_ticks(uint64_t gap_ticks, uint64_t ns);

#endif
