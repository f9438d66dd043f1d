/*
 * What the open calls have called so far, for the table of callees that follow each other: runs of
 * the same callee, which run follows which, and the sequence of runs that a call ends with. All is
 * added up in a rollup; here lies what is open.
 *
 * Entering and leaving pass through here once each, so that the common ways are inline.
 */
#ifndef FISQL_LOADER_CALLEE_HISTORY_H
#define FISQL_LOADER_CALLEE_HISTORY_H

#include <stdint.h>

#include "base/array.h"
#include "base/error.h"
#include "loader/calls/call_stack.h"
#include "loader/calls/links.h"
#include "loader/calls/rollup.h"

/* Which call the mark of a struct callee_runs was taken over from: see callee_history_mark. */
struct callee_runs_mark {
    uint64_t call, before;
    uint32_t callee_runs; /* index in rollup.callee_runs */
};

#define TRANSITIONS_CACHED 2048u

struct callee_history {
    /* The callees of the open calls' sequences, up to SEQUENCE_SHOWN each: a stack, for a call goes
     * on with its sequence only when the calls within it have ended. */
    uint32_t *callees;
    size_t callees_count, callees_capacity;
    struct callee_runs_mark *marks; /* those that open calls took over, a stack too */
    size_t marks_count, marks_capacity;
    /* From a pair of callees that follow each other to its index in rollup.transitions. */
    struct transition {
        uint32_t previous, callee_runs, index;
    } transitions[TRANSITIONS_CACHED];
};

void callee_history_init(struct callee_history *history);
void callee_history_release(struct callee_history *history);

/* No call is open: another thread follows. */
void callee_history_clear(struct callee_history *history);

/* Counts the caller's call among those that called the callee, once. A nested activation of the
 * caller takes the mark over and gives it back when it ends. */
int callee_history_mark(struct callee_history *history, const struct open_call *caller,
                        struct callee_runs *runs, struct error *error);
static inline void callee_history_give_back(struct callee_history *history, struct rollup *rollup,
                                            const struct open_call *call)
{
    while (history->marks_count > 0 &&
           history->marks[history->marks_count - 1].call == call->head.call_id) {
        const struct callee_runs_mark *mark = &history->marks[--history->marks_count];
        rollup->callee_runs[mark->callee_runs].seen_by = mark->before;
    }
}

/* Looks up the transition that the cache does not have, into its place there. */
int callee_history_find(struct transition *transition, struct rollup *rollup,
                        const struct open_call *caller, uint32_t previous, const struct link *link,
                        struct error *error);

/* The callee run is over: another callee follows, or the caller ends. */
static inline int callee_history_end_run(struct callee_history *history, struct rollup *rollup,
                                         const struct open_call *caller, struct error *error)
{
    struct callee_runs *runs = &rollup->callee_runs[caller->last_callee];
    runs->count++;
    runs->calls += caller->callee_run_calls;
    runs->raw_total_ns += caller->callee_run_ns;
    if (caller->callee_run_calls > runs->longest) {
        runs->longest = caller->callee_run_calls;
        runs->longest_call = caller->head.call_id;
    }
    return runs->seen_by == caller->head.call_id
               ? 0
               : callee_history_mark(history, caller, runs, error);
}

/* Finds which transition the link's callee makes that follows that of `previous`. */
static inline int callee_history_look_up(struct callee_history *history, struct rollup *rollup,
                                         const struct open_call *caller, uint32_t previous,
                                         struct link *link, struct error *error)
{
    uint32_t mixed = previous * 0x9e3779b1u ^ link->callee_runs * 0x85ebca6bu;
    struct transition *transition =
        &history->transitions[(mixed ^ mixed >> 15) % TRANSITIONS_CACHED];
    /* An empty slot names a callee that follows itself, which none does. */
    if ((transition->previous != previous || transition->callee_runs != link->callee_runs) &&
        callee_history_find(transition, rollup, caller, previous, link, error) != 0)
        return -1;
    link->previous = previous;
    link->transition = transition->index + 1;
    return 0;
}

/* Counts that `link`'s callee follows that of `previous`. */
static inline int callee_history_transition(struct callee_history *history, struct rollup *rollup,
                                            const struct open_call *caller, uint32_t previous,
                                            struct link *link, struct error *error)
{
    if ((link->transition == 0 || link->previous != previous) &&
        callee_history_look_up(history, rollup, caller, previous, link, error) != 0)
        return -1;
    struct callee_transition *counted = &rollup->transitions[link->transition - 1];
    if (counted->count++ == 0)
        counted->example_call = caller->head.call_id;
    return 0;
}

/* A callee run of `link`'s callee begins within `caller`. */
static inline int callee_history_begin_run(struct callee_history *history, struct rollup *rollup,
                                           struct open_call *caller, struct link *link,
                                           struct error *error)
{
    uint32_t previous = caller->last_callee;
    if (previous != NO_CALLEE) {
        if (callee_history_end_run(history, rollup, caller, error) != 0)
            return -1;
    } else {
        caller->shape = shape_hash_begin(caller->head.function_id);
        caller->callee_runs = 0;
        caller->first_id = history->callees_count;
    }
    if (callee_history_transition(history, rollup, caller, previous, link, error) != 0)
        return -1;
    caller->shape = shape_hash_add(caller->shape, link->function->id);
    if (caller->callee_runs++ < SEQUENCE_SHOWN) {
        if (array_reserve(&history->callees, &history->callees_capacity, history->callees_count + 1,
                          error) != 0)
            return -1;
        history->callees[history->callees_count++] = link->function->id;
    }
    caller->last_callee = link->callee_runs;
    caller->callee_run_calls = 1;
    caller->callee_run_ns = 0;
    return 0;
}

/* `caller` enters the link's callee. */
static inline int callee_history_enter(struct callee_history *history, struct rollup *rollup,
                                       struct open_call *caller, struct link *link,
                                       struct error *error)
{
    if (caller->last_callee != link->callee_runs)
        return callee_history_begin_run(history, rollup, caller, link, error);
    caller->callee_run_calls++;
    return 0;
}

/* A call through the link begins: asks for the sequence that it ends with as a rule. */
static inline void callee_history_expect(const struct rollup *rollup, const struct link *link)
{
    if (link->shape != 0)
        __builtin_prefetch(&rollup->shapes[link->shape - 1], 1);
}

/* The sequence that the call ends with: mostly that of the link's last call. */
static inline int callee_history_shape(const struct callee_history *history, struct rollup *rollup,
                                       const struct open_call *call, struct shape **out,
                                       struct error *error)
{
    struct link *link = call->link;
    *out = link->shape != 0 ? &rollup->shapes[link->shape - 1] : NULL;
    if (*out != NULL && (*out)->hash.a == call->shape.a && (*out)->hash.b == call->shape.b)
        return 0;
    if (rollup_shape(rollup, call->shape, call->head.function_id, call->callee_runs,
                     history->callees + call->first_id, out, error) != 0)
        return -1;
    link->shape = *out != NULL ? (uint32_t)(*out - rollup->shapes) + 1 : 0;
    return 0;
}

/* The call ends: counts its sequence of callees. */
static inline int callee_history_leave(struct callee_history *history, struct rollup *rollup,
                                       const struct open_call *call, struct error *error)
{
    struct function_rollup *function = call->link->function;
    struct shape *shape;
    if (call->last_callee == NO_CALLEE) {
        if (function->childless++ == 0)
            function->childless_example = call->head.call_id;
        return 0;
    }
    if (callee_history_end_run(history, rollup, call, error) != 0)
        return -1;
    callee_history_give_back(history, rollup, call);
    history->callees_count = call->first_id;
    if (callee_history_shape(history, rollup, call, &shape, error) != 0)
        return -1;
    if (shape == NULL)
        function->sequences_cut = true;
    else if (shape->calls++ == 0)
        shape->example_call = call->head.call_id;
    return 0;
}

#endif
