/*
 * The open calls at the end of a chunk, and the last calls, from the chunk's snapshot and its
 * events. The chunk may be whole or still growing. Chunks of one thread are read one after another.
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
    uint64_t exit_tick; /* LIVE_UNKNOWN = open, or we did not see its end */
    /* from 0, in its thread; LIVE_UNKNOWN = it began in a chunk that we did not read */
    uint64_t call;
    uint32_t depth; /* calls open around it */
    bool unwound;   /* it ended by longjmp or an exception */
};

struct live_calls {
    struct live_call *items;
    size_t count, capacity;
};

struct live_stack {
    struct live_calls open; /* the outermost known call first */
    uint32_t outer;         /* calls around these: too many for a snapshot */
    struct live_calls last; /* the newest last, at most last_max: */
    size_t last_max;
    uint64_t calls;                      /* entered by the thread so far */
    uint64_t tick;                       /* of the last event */
    uint32_t sequence;                   /* of the last chunk */
    bool paused;                         /* recording stopped after it */
    struct live_definition *definitions; /* of the chunk */
    uint32_t reading;                    /* chunks read with these definitions */
    size_t last_next;                    /* `last` is full: where the next one goes */
};

/* last_max: the number of last calls to keep, 0 = none. */
void live_stack_init(struct live_stack *stack, size_t last_max);
void live_stack_release(struct live_stack *stack);

/* Reads a chunk of events. Its open_calls, units, first_call and tick_start must be right, and its
 * payload whole. -1: ERROR_DAMAGE, the chunk breaks the rules or changed during the copy; or no
 * memory. The stack is then useless until the next chunk. */
int live_stack_read(struct live_stack *stack, const struct fisql_chunk *chunk, struct error *error);

/* Gives the large memory of definitions to the next stack. */
void live_stack_lend(struct live_stack *from, struct live_stack *to);

/* Puts `last` in order, the newest last, after all chunks. */
void live_stack_settle(struct live_stack *stack);

#endif
