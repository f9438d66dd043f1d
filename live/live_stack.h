/*
 * The calls that are open at the end of a chunk, and the last ones before, from the chunk's
 * snapshot and its events. The chunk may be whole or still being filled; several chunks of one thread
 * are given one after another.
 */
#ifndef FISQL_LIVE_LIVE_STACK_H
#define FISQL_LIVE_LIVE_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "formats/log.h"

#define LIVE_UNKNOWN UINT64_MAX

struct live_definition;

/* A call: an open one of a stack, or one of the last ones. */
struct live_call {
    uint64_t function, site; /* addresses in the process */
    uint64_t enter_tick;
    uint64_t exit_tick; /* LIVE_UNKNOWN = it is open, or its end was not seen */
    uint64_t call;  /* from 0, in its thread; LIVE_UNKNOWN = entered in a chunk that was not read */
    uint32_t depth; /* calls open around it */
    bool unwound;   /* it ended by longjmp or an exception */
};

struct live_calls {
    struct live_call *items;
    size_t count, capacity;
};

struct live_stack {
    struct live_calls open; /* the outermost that is known first */
    uint32_t outer;         /* calls open around these: too many for a snapshot */
    struct live_calls last; /* the newest last, at most last_max: */
    size_t last_max;
    uint64_t calls;                      /* entered by the thread so far */
    uint64_t tick;                       /* of the last event */
    uint32_t sequence;                   /* of the last chunk */
    bool paused;                         /* recording went off after it */
    struct live_definition *definitions; /* of the chunk */
    uint32_t reading;                    /* how many chunks were read with these definitions */
    size_t last_next;                    /* `last` is full: where the next one goes */
};

/* last_max: how many of the last calls are kept, 0 = none. */
void live_stack_init(struct live_stack *stack, size_t last_max);
void live_stack_release(struct live_stack *stack);

/* Reads a chunk of events: its open_calls, units, first_call and tick_start must be right, and its
 * payload whole. -1: ERROR_DAMAGE, the chunk breaks the rules (or was changed while it was copied); or
 * no memory. The stack is then of no use until the next chunk. */
int live_stack_read(struct live_stack *stack, const struct fisql_chunk *chunk, struct error *error);

/* Gives the memory of definitions, which is large, to the stack that is read next. */
void live_stack_lend(struct live_stack *from, struct live_stack *to);

/* Brings `last` into order, the newest last, when all is read. */
void live_stack_settle(struct live_stack *stack);

#endif
