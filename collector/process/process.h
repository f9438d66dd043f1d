/* The recorded process: whether, with which options, into what; its start and its end. */
#ifndef FISQL_COLLECTOR_PROCESS_PROCESS_H
#define FISQL_COLLECTOR_PROCESS_PROCESS_H

#include "collector/core/base.h"
#include "collector/core/clock.h"
#include "formats/attach.h"
#include "formats/live.h"

#include <stdbool.h>
#include <stdlib.h>

/* Recording options, set once when the process starts to record. */
struct options {
    bool alloc;              /* record allocations */
    uint32_t depth;          /* calls deeper than this are counted, 0 = no limit */
    uint64_t min_ns;         /* leaf calls shorter than this are counted */
    uint64_t min_ticks;      /* the same in ticks */
    uint32_t ring_chunks;    /* flight recorder: chunks kept a thread, 0 = off */
    uint32_t values_wait_ms; /* the program's longest wait for its recipes at its start */
    uint32_t locks;          /* 1: lock events, 2: each acquisition, too (locks.h) */
    uint32_t as_is;          /* 1: patch modules without hooks, 2: all (collector/patch/) */
    bool library_calls;      /* calls into libraries are recorded, too */
    bool start_off;
    bool no_waits;      /* do not read processor clocks */
    bool says;          /* fisql record prints what macros say */
    bool plugin;        /* load the one that the live area names */
    bool rotates;       /* fisql record may replace the log: hold none open */
    uint32_t on_assert; /* enum fisql_on_assert */
};

enum process_state {
    PROCESS_UNDECIDED = 0,
    PROCESS_RECORDING = 1,
    PROCESS_DORMANT = 2, /* no module calls the hooks: do not record allocations */
    PROCESS_DECIDING = 3,
    PROCESS_NEVER = 4
};

struct process {
    enum clock_kind clock;
    uint32_t active; /* atomic: enum process_state */
    uint32_t paused; /* atomic: recording is switched off */
    uint32_t pid;
    uint32_t ending;      /* after our destructor, without fisql record: write each event at once */
    uint32_t filtered;    /* functions are filtered: see filter.c */
    uint32_t watched;     /* atomic: functions have callbacks: see watch.h */
    uint32_t thread_next; /* atomic */
    uint32_t ticks_per_us;      /* 0 = unknown: hooks do not measure themselves */
    uint32_t sampled_ticks_max; /* longer calls count as this: see sampled.h */
    uint64_t key;
    uint64_t owner_start; /* see live_owner_start() */
    uint64_t run_id;
    uint64_t start_tick;
    uint64_t parent_key;
    uint64_t fork_tick;       /* see process_forked() (process_facts.h) */
    uint64_t gap_ticks;       /* more ticks between two events are a gap (usage.h) */
    uint32_t filter_settings; /* atomic: counts changes of the filter (control.h) */
    struct options options;
    struct fisql_live_area *area;
    /* brought into a running process (collector/attach/), which it will leave; NULL = not */
    const struct fisql_attach_orders *orders;
    bool with_parent; /* fisql record holds the live area */
    char log_path[4096];
    char live_path[4096];
};
extern HIDDEN struct process process;

/* Decides at the first sign of life whether this process is recorded, and starts recording it; a
 * dormant process starts when a hook is called. Returns whether it is recorded. Safe at any time,
 * even before main and in a signal handler. */
bool process_activate(bool by_hook);
static inline bool process_active(void)
{
    uint32_t active = __atomic_load_n(&process.active, __ATOMIC_ACQUIRE);
    return LIKELY(active == PROCESS_RECORDING) ||
           (active == PROCESS_UNDECIDED && process_activate(false));
}
static inline bool process_active_for_hook(void)
{
    return LIKELY(__atomic_load_n(&process.active, __ATOMIC_ACQUIRE) == PROCESS_RECORDING) ||
           process_activate(true);
}
/* The value of a variable: of the environment, or of the orders. NULL = none. */
static inline const char *process_variable(enum fisql_variable variable)
{
    const struct fisql_attach_orders *orders = process.orders;
    if (orders == NULL)
        return secure_getenv(fisql_variable(variable));
    return variable == FISQL_VARIABLE_LOG       ? orders->log_path
           : variable == FISQL_VARIABLE_LIVE    ? orders->live_path
           : variable == FISQL_VARIABLE_OPTIONS ? orders->options
                                                : NULL;
}
/* Begins to record a process that runs already, by orders, of which it keeps a copy. Other threads run.
 * Returns whether it is recorded. */
bool process_attach(const struct fisql_attach_orders *orders);
/* Is it recorded? Does not decide it. */
static inline bool process_recording(void)
{
    return __atomic_load_n(&process.active, __ATOMIC_ACQUIRE) == PROCESS_RECORDING;
}
/* Is it not recorded, whatever comes? It may have forbidden itself all system calls then. */
static inline bool process_never_again(void)
{
    return __atomic_load_n(&process.active, __ATOMIC_ACQUIRE) == PROCESS_NEVER;
}

#endif
