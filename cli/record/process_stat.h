/* What the kernel says of a process in /proc/PID (proc(5)). */
#ifndef FISQL_CLI_RECORD_PROCESS_STAT_H
#define FISQL_CLI_RECORD_PROCESS_STAT_H

#include <stdbool.h>
#include <stdint.h>

struct process_stat {
    char state;     /* 'Z' = a zombie, 'X' = dead */
    unsigned flags; /* PF_ of the kernel */
    long threads;   /* that have not ended */
    uint64_t start; /* since boot, in clock ticks (sysconf(_SC_CLK_TCK)) */
};

/* From /proc/PID/stat. False if there is no such process, or we may not look. */
bool process_stat_read(long pid, struct process_stat *stat);

/* Of the process's first thread; 0 where the kernel does not count. */
struct process_times {
    uint64_t ran_ns;    /* on the processor */
    uint64_t queued_ns; /* runnable while others ran */
    uint64_t waits;     /* voluntary context switches */
    uint64_t preemptions;
};

/* From /proc/PID/schedstat and /proc/PID/status. */
void process_times_read(long pid, struct process_times *times);

/* A bit for each signal, the first one lowest. */
struct process_signals {
    uint64_t pending; /* of the process, or of its first thread */
    uint64_t ignored;
    bool stopped; /* by a signal or a debugger */
};

/* From /proc/PID/status; nothing is pending if there is no such process. */
void process_signals_read(long pid, struct process_signals *signals);

#endif
