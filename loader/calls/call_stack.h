/*
 * The open calls of the decoded thread. At the bottom may be *inherited* calls, those of a forked
 * child's parent: they give the child's calls their frames and are not calls of the child.
 *
 * A snapshot names the innermost FISQL_SNAPSHOT_MAX calls. Calls outside these that no earlier
 * chunk names are *hidden*: they have no rows, but their exits come. The stack knows how many are
 * hidden between which of its calls. An exit ends a hidden call if one is innermost.
 */
#ifndef FISQL_LOADER_CALLS_CALL_STACK_H
#define FISQL_LOADER_CALLS_CALL_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "loader/calls/hook_costs.h"
#include "loader/calls/links.h"
#include "loader/calls/rollup.h"
#include "loader/memory/memory.h"

/* An open call. */
struct open_call {
    struct memory_open_call head; /* first: memory reads the stack through it */
    uint64_t enter_ns, enter_tick, children_ns, child_calls;
    struct link *link;      /* NULL = inherited */
    struct link *last_link; /* of its last callee; NULL = it made no call */
    uint32_t pair;
    uint32_t weight;           /* as in struct row */
    uint64_t untimed_callees;  /* of its callees; */
    uint64_t untimed_before;   /* of the thread's calls up to this one: see sampled.h */
    struct hook_share settled; /* to add to its share at the present cost; valid if it was entered
                                  before that cost began */
};

/* Open calls of which nothing else is known. */
struct hidden_calls {
    uint32_t at; /* calls of the stack around them */
    uint32_t calls;
};

struct call_stack {
    struct open_call *items; /* the outermost first */
    size_t capacity;
    uint32_t depth, inherited;
    struct hidden_calls *hidden; /* the outermost ones first */
    size_t hidden_count, hidden_capacity;
};

/* Makes an empty stack; `items` is never NULL afterwards. Release it in any case. */
int call_stack_init(struct call_stack *stack, struct error *error);
void call_stack_release(struct call_stack *stack);

/* Forgets all calls. */
void call_stack_clear(struct call_stack *stack);

/* Makes room for one more call. *out: its place, which does not count yet. */
int call_stack_grow(struct call_stack *stack, struct error *error);
static inline int call_stack_place(struct call_stack *stack, struct open_call **out,
                                   struct error *error)
{
    if (__builtin_expect(stack->depth >= stack->capacity, 0) && call_stack_grow(stack, error) != 0)
        return -1;
    *out = &stack->items[stack->depth];
    return 0;
}

/* The innermost call, own or inherited; NULL = none is open. */
static inline struct open_call *call_stack_top(const struct call_stack *stack)
{
    return stack->depth > 0 ? &stack->items[stack->depth - 1] : NULL;
}

/* Whether the innermost call is the thread's own. */
static inline bool call_stack_has_own(const struct call_stack *stack)
{
    return stack->depth > stack->inherited;
}

/* The innermost call if it is the thread's own, else NULL. */
static inline struct open_call *call_stack_own_top(const struct call_stack *stack)
{
    return call_stack_has_own(stack) ? &stack->items[stack->depth - 1] : NULL;
}

/* The id of the same call, 0 = none. */
static inline uint64_t call_stack_call_id(const struct call_stack *stack)
{
    return call_stack_has_own(stack) ? stack->items[stack->depth - 1].head.call_id : 0;
}

/* The thread's own calls, as loader/memory reads them. */
static inline struct memory_stack call_stack_own(const struct call_stack *stack)
{
    return (struct memory_stack){stack->items + stack->inherited, sizeof *stack->items,
                                 stack->depth - stack->inherited};
}

/* The greatest depth at which calls are hidden; 0 = none are. */
uint32_t call_stack_hidden_at(const struct call_stack *stack);

/* The depth at which an exit ends a hidden or inherited call. */
uint32_t call_stack_floor(const struct call_stack *stack);

/* Puts `calls` hidden calls on top. */
int call_stack_hide(struct call_stack *stack, uint32_t calls, struct error *error);

/* Ends up to `calls` innermost hidden calls. Returns how many. */
uint32_t call_stack_end_hidden(struct call_stack *stack, uint32_t calls);

/* Forgets the hidden calls within calls that have ended. Returns how many are left. */
uint64_t call_stack_drop_hidden(struct call_stack *stack);

#endif
