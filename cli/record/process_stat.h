/* What the kernel says of a process in /proc/PID/stat (proc(5)). */
#ifndef FISQL_CLI_PROCESS_STAT_H
#define FISQL_CLI_PROCESS_STAT_H

#include <stdbool.h>
#include <stdint.h>

struct process_stat {
    char state;     /* 'Z' = a zombie, 'X' = dead */
    unsigned flags; /* PF_ of the kernel */
    long threads;   /* those that have not ended */
    uint64_t start; /* since boot, in clock ticks (sysconf(_SC_CLK_TCK)) */
};

/* False where there is no such process, or it may not be looked at. */
bool process_stat_read(long pid, struct process_stat *stat);

#endif
