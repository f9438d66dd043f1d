/*
 * Calls of a function that repeat the arguments of an earlier call in the thread, and what a cache
 * of results would save. A hash of 64 bits identifies all arguments of a call together.
 *
 * The table is bounded: when it is full, we drop one half of all sets of arguments for good, by a
 * bit of the hash, then a half of the rest (adaptive sampling: Flajolet, "On adaptive sampling",
 * 1990). We counted the rest from the start, so it represents all.
 */
#ifndef FISQL_LOADER_VALUES_VALUE_REPEATS_H
#define FISQL_LOADER_VALUES_VALUE_REPEATS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slots.h"
#include "loader/values/value_counts.h"

#define REPEATS_MAX 4096u /* sets of arguments in a table */

/* Calls with the same arguments. */
struct repeated {
    uint64_t hash, result; /* of the result of the last to end; 0 = not known */
    uint64_t calls, first_call;
    uint64_t same, different, saved_calls, saved_ns;
};

struct value_repeats {
    struct repeated *items;
    size_t capacity;
    uint32_t count;
    struct slots slots;
    uint32_t halvings; /* it has one of 2^halvings sets of arguments */
    uint64_t calls;    /* all */
    uint32_t open;     /* repeated calls that are open */
};

/* Of ended threads. */
struct repeats_sum {
    uint64_t calls, unknown, sampled, tuples, repeated, same, different, saved_calls, saved_ns;
    uint64_t commonest_calls, example_call;
};

/* A call that the table counts; its owner is the caller. */
struct repeats_call {
    uint64_t hash;  /* 0 = it is not in the table */
    bool repeated;  /* an earlier call had its arguments, */
    bool outermost; /* and no open call of the function is one */
};

void value_repeats_release(struct value_repeats *repeats);

/* A call with these arguments begins. */
int value_repeats_enter(struct value_repeats *repeats, uint64_t hash, uint64_t call_id,
                        struct value_room *room, struct repeats_call *call, struct error *error);
/* It ends. result: its hash, 0 = not known. */
void value_repeats_leave(struct value_repeats *repeats, const struct repeats_call *call,
                         const struct valued_call *ended, uint64_t result);

/* The thread has ended: adds the table up and empties it. */
void value_repeats_fold(struct value_repeats *repeats, struct repeats_sum *sum,
                        struct value_room *room);
void repeats_sum_merge(struct repeats_sum *into, const struct repeats_sum *from);

#endif
