/*
 * The outermost calls of a function and their callees, sorted by the value of an argument or of the
 * result, for `fisql tree --by-value`. Reads the table calls from each such call to its end.
 */
#ifndef FISQL_CLI_RUN_CALLS_BY_VALUE_H
#define FISQL_CLI_RUN_CALLS_BY_VALUE_H

#include <sqlite3.h>
#include <stdint.h>

#include "cli/run/call_times.h"
#include "cli/run/call_values.h"
#include "cli/run/run_view.h"

struct calls_by_value {
    const struct run_view *view;
    struct call_values values;
    struct call_times times;
    uint32_t function; /* functions.id */
    int64_t position;  /* parameters.position */
    const char *name;  /* the parameter's, #N or result */
    sqlite3_stmt *outermost, *calls;
    int64_t last; /* last call within the present outermost call */
};

/* A call of the function, or one within it. */
struct call_by_value {
    int64_t id, last;             /* calls.id of it and of the last one within it */
    uint32_t function;            /* functions.id; 0 = unknown */
    int64_t time_ns;              /* with its callees, by the measure */
    int64_t paused_ns;            /* wall time in pauses */
    int64_t paused_by_measure_ns; /* part of time_ns, in no self time */
    const char *text; /* value of an outermost call, until the next call is read; else NULL */
};

/* `what` is FUNCTION.PARAMETER, where PARAMETER is a name, #N or result. Returns 0, or 2 after
 * saying what is wrong; close it in both cases. */
int calls_by_value_open(struct calls_by_value *of, const struct run_view *view,
                        enum measure measure, const char *what);
void calls_by_value_close(struct calls_by_value *of);

/* 1: *call is the next one, in the order of ids; 0: the end; -1: reading failed, reported on
 * stderr. */
int calls_by_value_next(struct calls_by_value *of, struct call_by_value *call);

#endif
