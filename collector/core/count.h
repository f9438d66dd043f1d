/*
 * Counts (count.c). For all functions the log must be busy and its chunk have room; they leave it.
 * They return false if a nested hook undid them: start again in the current log.
 */
#ifndef FISQL_COLLECTOR_CORE_COUNT_H
#define FISQL_COLLECTOR_CORE_COUNT_H

#include "collector/core/count_undo.h"
#include "collector/core/shadow_stack.h"

struct pair;
struct thread_log;

/* The counts of a chunk. */
struct counts {
    /* By dictionary slot: run << 16 | unit of its count. One more entry: the last run's number. */
    uint32_t *of_slot;
    uint32_t run;    /* the run of counts that ends at ... */
    uint32_t end;    /* ... this unit */
    uint32_t undone; /* a nested hook undid the current change */
    struct count_undo undo;
};

enum count_kind {
    COUNT_LEAF,   /* the innermost call, whose enter is the last event */
    COUNT_HIDDEN, /* the innermost hidden call */
    COUNT_BLIND,  /* a call entered without a place on the shadow stack */
    COUNT_ASKED,  /* the same, and its exit is no event (counted.h) */
};
/* Ends a counted call, or enters it (COUNT_BLIND, COUNT_ASKED). */
bool count_call(struct thread_log *log, const struct pair *pair, uint64_t ticks,
                enum count_kind kind);
bool count_enter(struct thread_log *log, const struct shadow_call *call);
bool count_leave(struct thread_log *log);
/* Ends a call without a place on the shadow stack. */
bool count_leave_blind(struct thread_log *log);

#endif
