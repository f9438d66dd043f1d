/*
 * What the kernel knows of a thread: its processor time, how often it gave the processor up or was
 * put aside, its page faults. Read where a thread's events lie further apart than some 20
 * microseconds (usage_gap_ticks()), at a thread's start and at its end; a reader of the log gets
 * from it how much of each such gap was spent on the processor, and how much waiting.
 *
 * The readings are absolute, so the hooks keep nothing: what a reading interrupted by a signal
 * handler's hooks misses is in the next one.
 */
#ifndef FISQL_COLLECTOR_CORE_USAGE_H
#define FISQL_COLLECTOR_CORE_USAGE_H

#include "collector/core/clock.h"

#include <stdbool.h>

struct usage {
    uint64_t tick;         /* when it was read */
    uint64_t cpu_ns;       /* CLOCK_THREAD_CPUTIME_ID */
    uint32_t waits;        /* voluntary context switches; these count modulo 2^32 */
    uint32_t preemptions;  /* involuntary ones */
    uint32_t minor_faults; /* page faults without input or output */
    uint32_t major_faults; /* and with it */
};

/* Reads that of the calling thread: two system calls, no allocation, safe in signal handlers. */
void usage_read(enum clock_kind clock, struct usage *usage);

/* Reads the processor time of a thread of this process; tid 0 is the calling one. Returns false where
 * it is gone. */
bool usage_cpu_of(uint32_t tid, uint64_t *cpu_ns);

/* The ticks between two events of a thread beyond which a reading is taken. */
uint64_t usage_gap_ticks(uint64_t ticks_per_second);
/* How many ticks take ns nanoseconds, gap_ticks being what usage_gap_ticks() gave. */
uint64_t usage_ticks(uint64_t gap_ticks, uint64_t ns);

#endif
