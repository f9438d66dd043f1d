/*
 * The values of a worker's calls: from a thread's events, in their order, to rows of call_values
 * (value_rows.h) and to sums: counts of values (value_counts.h), repeated arguments
 * (value_repeats.h), results and their callers' results (result_flows.h).
 *
 *   value_calls_begin            a thread
 *   value_calls_enter            the call entered last has arguments
 *   value_calls_leave            the call `innermost` has ended; no other call matters ...
 *   value_calls_result           ... but the call that ended last may have a result
 *   value_calls_end              the thread; all its calls have ended
 *   value_calls_merge            adds what one worker has to another's
 *
 * A call's end and its result are two events, so we add a call up at the next event.
 */
#ifndef FISQL_LOADER_VALUES_VALUE_CALLS_H
#define FISQL_LOADER_VALUES_VALUE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "loader/values/result_flows.h"
#include "loader/values/value_counts.h"
#include "loader/values/value_repeats.h"
#include "loader/values/value_rows.h"
#include "loader/values/value_types.h"

#define VALUE_POSITIONS 32u /* the result, the parameters, errno (value_errno.h) */

/* What all workers share. */
struct value_shared {
    struct value_types types;
    struct value_room room;
    char folder[4096]; /* for temporary files */
};

/* A function's calls with values, unless they are more than LISTED_MAX. */
#define LISTED_MAX 16384u
struct listed_calls {
    uint64_t *ids;
    size_t count, capacity;
    bool too_many;
};

struct value_function {
    uint32_t id;      /* functions.id */
    bool has_results; /* its calls gave some */
    bool used;        /* in the thread: value_calls_end() folds its repeats */
    uint32_t at_exit; /* a bit for each position whose value comes at the call's end */
    size_t parameters_count;
    const struct parameter *parameters;                  /* by position */
    const struct parameter_type *types[VALUE_POSITIONS]; /* NULL = not known */
    struct value_counts *counts[VALUE_POSITIONS];        /* NULL = it had no value */
    struct listed_calls listed;
    struct value_repeats repeats;
    struct repeats_sum repeats_sum;
};

/* An open call with known values. */
struct open_values {
    uint64_t call_id;
    struct value_function *function; /* NULL = only its callees gave results */
    uint32_t function_id;
    uint32_t bytes;      /* of the forms of its arguments; 0 = none */
    size_t forms;        /* where they begin in `forms` */
    size_t waiting_from; /* in flows.waiting */
    struct repeats_call repeats;
};

/* Where the thread is: pointers' meaning depends on it. */
struct value_moment {
    uint32_t process; /* index in log_index.processes */
    uint64_t tick;
};

struct value_calls {
    uint64_t innermost; /* calls.id of the innermost open call with known values; 0 = none */
    struct value_shared *shared;
    struct value_function **functions; /* by functions.id; NULL = it had no values */
    size_t functions_capacity;
    struct value_function **used;
    size_t used_count, used_capacity;
    struct pointer_names names;
    struct value_rows rows;
    struct result_flows flows;
    struct open_values *open; /* the outermost first */
    size_t open_count, open_capacity;
    struct value_buffer forms; /* of the arguments of the open calls, one behind another */
    struct value_buffer made;  /* of the present event */
    bool has_ended;            /* an ended call waits for its result: */
    struct open_values ended;
    struct valued_call ended_call;
};

void value_shared_release(struct value_shared *shared); /* zeros are released */

void value_calls_init(struct value_calls *calls, struct value_shared *shared);
void value_calls_release(struct value_calls *calls);

void value_calls_begin(struct value_calls *calls, struct btree_part *part, uint64_t first_id,
                       value_open_call *open_call, void *context);
/* Addresses may mean something else from now on. */
void value_calls_forget_names(struct value_calls *calls);

/* A call's arguments as in the event: sound. */
int value_calls_enter(struct value_calls *calls, uint64_t call_id, uint32_t function,
                      const unsigned char *values, uint32_t bytes, struct value_moment moment,
                      struct error *error);

/* `innermost` has ended. */
int value_calls_leave(struct value_calls *calls, const struct valued_call *call,
                      struct error *error);

/* The caller of a call that ends: functions.id, 0 = it has none. */
struct value_caller {
    uint32_t function;
    uint64_t call_id;
};

/* The values at the exit of the call that ended right before: as in the event, sound. Comes before
 * its result. */
int value_calls_exit(struct value_calls *calls, const struct valued_call *call,
                     const unsigned char *values, uint32_t bytes, struct value_moment moment,
                     struct error *error);

/* The result of the call that ended right before, and errno if it follows. */
int value_calls_result(struct value_calls *calls, const struct valued_call *call, uint32_t function,
                       struct value_caller caller, const unsigned char *values, uint32_t bytes,
                       struct value_moment moment, struct error *error);

int value_calls_end(struct value_calls *calls, struct error *error);

/* Frees what only decoding needs. */
void value_calls_done(struct value_calls *calls);
/* `from` is spent then. */
int value_calls_merge(struct value_calls *into, struct value_calls *from, struct error *error);

#endif
