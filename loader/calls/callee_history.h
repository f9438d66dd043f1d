/*
 * What the open calls have called so far: runs of the same callee, which run follows which, and the
 * sequence of runs that a call ends with. A rollup adds them up; the history holds the open ones.
 *
 * row_sums.h passes each row here once, in the order of ids. That is enough: the calls at a row's
 * depth and deeper ended before its call was entered, the innermost first. So the busiest thread,
 * the one that decodes, need not do this. The common paths are inline.
 */
#ifndef FISQL_LOADER_CALLS_CALLEE_HISTORY_H
#define FISQL_LOADER_CALLS_CALLEE_HISTORY_H

#include <stdint.h>

#include "base/array.h"
#include "base/error.h"
#include "loader/calls/row_window.h"
#include "loader/calls/links.h"
#include "loader/calls/rollup.h"

/* An open call. The fields after `last_callee` are valid if that is not NO_CALLEE. */
struct history_call {
    uint64_t call_id;
    struct link *link;
    uint64_t duration_ns;    /* once known: see callee_history.unended */
    uint32_t level;          /* the row's depth + 1; 0: there is no call */
    uint32_t last_callee;    /* the current callee run: index in rollup.callee_runs */
    uint64_t run_calls;      /* calls in it so far */
    uint64_t run_ns;         /* time in it */
    uint64_t runs;           /* of this call, this one included */
    struct shape_hash shape; /* of the sequence so far */
    size_t first_id;         /* its callees lie in callee_history.callees from here on */
};

#define NO_CALLEE UINT32_MAX

/* A mark of a struct callee_runs that a nested call took over: see callee_history_mark. */
struct callee_runs_mark {
    uint64_t call, before;
    uint32_t callee_runs; /* index in rollup.callee_runs */
};

#define TRANSITIONS_CACHED 2048u

struct callee_history {
    struct rollup *rollup;
    struct history_call *open; /* each behind its caller: open[1] is the outermost, open[0] none */
    size_t open_count, open_capacity; /* capacity: with that one */
    size_t unended;                   /* of them, the outermost ones, have no known end yet */
    /* The callees of the open calls' sequences, up to SEQUENCE_SHOWN each. A stack: a call's
     * sequence continues only when the calls within it have ended. */
    uint32_t *callees;
    size_t callees_count, callees_capacity;
    struct callee_runs_mark *marks; /* a stack */
    size_t marks_count, marks_capacity;
    /* A cache: from two callees in a row to their index in rollup.transitions. */
    struct transition {
        uint32_t previous, callee_runs, index;
    } transitions[TRANSITIONS_CACHED];
};

/* The rollup is borrowed. */
void callee_history_init(struct callee_history *history, struct rollup *rollup);
void callee_history_release(struct callee_history *history);

/* Another thread follows. */
void callee_history_clear(struct callee_history *history);

/* All rows of the thread were seen. */
int callee_history_finish(struct callee_history *history, struct error *error);

/* Makes room for one more open call. */
int callee_history_room(struct callee_history *history, struct error *error);

/* A nested activation of the caller takes over the mark of the callee run that goes on. */
int callee_history_take_over(struct callee_history *history, const struct history_call *caller,
                             const struct callee_runs *runs, struct error *error);

/* Counts the caller's call among those that called the callee, once. A nested activation of the
 * caller takes the mark over and gives it back when it ends. */
static inline int callee_history_mark(struct callee_history *history,
                                      const struct history_call *caller, struct callee_runs *runs,
                                      struct error *error)
{
    if (caller->link->function->seen_open > 1 &&
        callee_history_take_over(history, caller, runs, error) != 0)
        return -1;
    runs->caller_calls++;
    runs->seen_by = caller->call_id;
    return 0;
}

static inline void callee_history_give_back(struct callee_history *history, uint64_t call_id)
{
    while (history->marks_count > 0 && history->marks[history->marks_count - 1].call == call_id) {
        const struct callee_runs_mark *mark = &history->marks[--history->marks_count];
        history->rollup->callee_runs[mark->callee_runs].seen_by = mark->before;
    }
}

/* Fills the cache's entry with a transition that it lacks. */
int callee_history_find(struct callee_history *history, struct transition *transition,
                        const struct history_call *caller, const struct link *link,
                        struct error *error);

/* The callee run is over: another callee follows, or the caller ends. */
static inline int callee_history_end_run(struct callee_history *history,
                                         const struct history_call *caller, struct error *error)
{
    struct callee_runs *runs = &history->rollup->callee_runs[caller->last_callee];
    runs->count++;
    runs->calls += caller->run_calls;
    runs->raw_total_ns += caller->run_ns;
    if (caller->run_calls > runs->longest) {
        runs->longest = caller->run_calls;
        runs->longest_call = caller->call_id;
    }
    return runs->seen_by == caller->call_id ? 0 : callee_history_mark(history, caller, runs, error);
}

/* Finds the transition from the caller's last callee to the link's. */
static inline int callee_history_look_up(struct callee_history *history,
                                         const struct history_call *caller, struct link *link,
                                         struct error *error)
{
    uint32_t previous = caller->last_callee;
    uint32_t mixed = previous * 0x9e3779b1u ^ link->callee_runs * 0x85ebca6bu;
    struct transition *transition =
        &history->transitions[(mixed ^ mixed >> 15) % TRANSITIONS_CACHED];
    /* An empty slot names a callee that follows itself, which none does. */
    if ((transition->previous != previous || transition->callee_runs != link->callee_runs) &&
        callee_history_find(history, transition, caller, link, error) != 0)
        return -1;
    link->previous = previous;
    link->transition = transition->index + 1;
    return 0;
}

/* Counts that transition. */
static inline int callee_history_transition(struct callee_history *history,
                                            const struct history_call *caller, struct link *link,
                                            struct error *error)
{
    if ((link->transition == 0 || link->previous != caller->last_callee) &&
        callee_history_look_up(history, caller, link, error) != 0)
        return -1;
    struct callee_transition *counted = &history->rollup->transitions[link->transition - 1];
    if (counted->count++ == 0)
        counted->example_call = caller->call_id;
    return 0;
}

/* A run of the link's callee begins within `caller`. */
static inline int callee_history_begin_run(struct callee_history *history,
                                           struct history_call *caller, struct link *link,
                                           struct error *error)
{
    if (caller->last_callee != NO_CALLEE) {
        if (callee_history_end_run(history, caller, error) != 0)
            return -1;
    } else {
        caller->shape = shape_hash_begin(caller->link->function->same_id);
        caller->runs = 0;
        caller->first_id = history->callees_count;
    }
    if (callee_history_transition(history, caller, link, error) != 0)
        return -1;
    caller->shape = shape_hash_add(caller->shape, link->function->same_id);
    if (caller->runs++ < SEQUENCE_SHOWN) {
        if (array_reserve(&history->callees, &history->callees_capacity, history->callees_count + 1,
                          error) != 0)
            return -1;
        history->callees[history->callees_count++] = link->function->same_id;
    }
    caller->last_callee = link->callee_runs;
    caller->run_calls = 1;
    caller->run_ns = 0;
    return 0;
}

/* The sequence that the call ends with, mostly the same as the link's last call. */
static inline int callee_history_shape(const struct callee_history *history,
                                       const struct history_call *call, struct shape **out,
                                       struct error *error)
{
    struct link *link = call->link;
    struct rollup *rollup = history->rollup;
    *out = link->shape != 0 ? &rollup->shapes[link->shape - 1] : NULL;
    if (*out != NULL && (*out)->hash.a == call->shape.a && (*out)->hash.b == call->shape.b)
        return 0;
    if (rollup_shape(rollup, call->shape, link->function->same_id, call->runs,
                     history->callees + call->first_id, out, error) != 0)
        return -1;
    link->shape = *out != NULL ? (uint32_t)(*out - rollup->shapes) + 1 : 0;
    return 0;
}

/* A call that made calls has ended: counts the sequence of its callees. */
static inline int callee_history_end_calls(struct callee_history *history,
                                           const struct history_call *call, struct error *error)
{
    struct shape *shape;
    if (callee_history_end_run(history, call, error) != 0)
        return -1;
    callee_history_give_back(history, call->call_id);
    history->callees_count = call->first_id;
    if (callee_history_shape(history, call, &shape, error) != 0)
        return -1;
    if (shape == NULL)
        call->link->function->sequences_cut = true;
    else if (shape->calls++ == 0)
        shape->example_call = call->call_id;
    return 0;
}

/* A call that made no calls has ended. */
static inline void callee_history_childless(struct function_rollup *function, uint64_t call_id)
{
    if (function->kinds.childless++ == 0)
        function->kinds.childless_example = call_id;
}

/* The innermost call has ended. */
static inline int callee_history_leave(struct callee_history *history, struct history_call *call,
                                       struct error *error)
{
    struct function_rollup *function = call->link->function;
    if (call->last_callee != NO_CALLEE) {
        if (callee_history_end_calls(history, call, error) != 0)
            return -1;
    } else {
        callee_history_childless(function, call->call_id);
    }
    function->seen_open--;
    call[-1].run_ns += call->duration_ns;
    return 0;
}

/* The row of the next call. */
static inline int callee_history_row(struct callee_history *history, const struct row *row,
                                     uint64_t call_id, struct error *error)
{
    struct link *link = row->link;
    if (__builtin_expect(history->open_count + 2 > history->open_capacity, 0) &&
        callee_history_room(history, error) != 0)
        return -1;
    struct history_call *caller = &history->open[history->open_count];
    for (uint32_t level = row->distance == 0 ? 1 : row->depth + 1; caller->level >= level; caller--)
        if (callee_history_leave(history, caller, error) != 0)
            return -1;
    if (row->distance != 0) {
        if (__builtin_expect(link->callee_runs == NO_CALLEE, 0) &&
            rollup_callee_runs(history->rollup, caller->link->function->same_id,
                               link->function->same_id, &link->callee_runs, error) != 0)
            return -1;
        if (caller->last_callee == link->callee_runs)
            caller->run_calls++;
        else if (callee_history_begin_run(history, caller, link, error) != 0)
            return -1;
    }
    if (row->done && row->child_calls == 0) {
        callee_history_childless(link->function, call_id);
        caller->run_ns += row->duration_ns;
        history->open_count = (size_t)(caller - history->open);
        return 0;
    }
    struct history_call *call = caller + 1;
    call->call_id = call_id;
    call->link = link;
    call->level = row->depth + 1;
    call->last_callee = NO_CALLEE;
    history->open_count = (size_t)(call - history->open);
    if (row->done)
        call->duration_ns = row->duration_ns;
    else
        history->unended = history->open_count;
    link->function->seen_open++;
    return 0;
}

/* The innermost of the calls that had not ended when their rows came has ended. */
static inline void callee_history_ended(struct callee_history *history, uint64_t duration_ns)
{
    history->open[history->unended--].duration_ns = duration_ns;
}

#endif
