/*
 * What a running program's functions do: their calls, processor time and waits, summed up while it
 * runs (`fisql top`).
 *
 * The sums come from the chunks that threads fill anyway, which we follow as `fisql trace --follow`
 * does (live/live_tail.h): the program does nothing for it, whether anybody watches or not, and no
 * log is needed (`fisql record --ring`). The time between two events of a thread belongs to the
 * innermost call. It is processor time, unless a reading of the thread's clock (GAP) says that it
 * waited. What a thread has done since its last event we ask the kernel for at each settlement
 * (/proc/PID/task/TID/schedstat). Calls that came faster than we read are counted, without names.
 */
#ifndef FISQL_CLI_LIVE_LIVE_SUMS_H
#define FISQL_CLI_LIVE_LIVE_SUMS_H

#include "cli/live/live_find.h"
#include "cli/live/live_trace_names.h"
#include "live/live_tail.h"

#include <stddef.h>
#include <stdint.h>

/* What a function did in a time. */
struct live_sum {
    uint64_t calls;
    uint64_t cpu_ns, wait_ns; /* its own, without callees */
};

/* Of one function: since the last settlement; between the last two; and its calls since we began
 * until the last one. */
struct live_sums_item {
    struct live_sum now, last;
    uint64_t all_calls;
};

struct live_sums_time {
    uint64_t calls, left_out; /* left_out: those without a name, which came too fast */
};

struct live_sums_thread;

struct live_sums {
    struct live_run *run; /* borrowed */
    struct live_trace_options options;
    struct trace_names names;
    struct live_tail_reader reader;
    struct live_tail *tail;
    struct live_sums_item *items; /* by the function's index in names.functions */
    size_t items_capacity;
    struct live_sums_thread *threads;
    size_t threads_count, threads_capacity;
    struct live_sums_time now, last;
    uint64_t begin_ns, end_ns; /* of `last`; CLOCK_MONOTONIC */
    uint32_t running;          /* threads */
    double ns_per_tick;        /* of the area's counter; 0 = not known */
};

/* Begins to follow. pid: 0 = all processes of the run. Returns 0, or 2 after saying what is wrong;
 * close it in both cases. */
int live_sums_open(struct live_sums *sums, struct live_run *run, pid_t pid, enum name_style style);
void live_sums_close(struct live_sums *sums);

/* Reads what is new: to be called some twenty times a second. last: the recording has ended. Returns
 * 0, or 2 after saying what is wrong. */
int live_sums_look(struct live_sums *sums, bool last);

/* The same, and adds what threads are doing now: `last` is then from the settlement before (begin_ns)
 * until now (end_ns). */
int live_sums_settle(struct live_sums *sums, bool last);

#endif
