/*
 * The calls and messages of a running program as they happen (`fisql trace --follow`).
 *
 * We look some twenty times a second (live/live_tail.h), put what all threads did since the last
 * look in the order of time, and print it. A look keeps the last ITEMS_MAX lines, with at most
 * TEXT_BYTES_MAX bytes of messages; what is beyond is counted, and the count printed. If the terminal takes no
 * more, we wait for it, and the next look leaves out what the program did meanwhile, except for its
 * last part. So memory is bounded whatever the program's pace.
 */
#ifndef FISQL_CLI_LIVE_LIVE_TRACE_H
#define FISQL_CLI_LIVE_LIVE_TRACE_H

#include "cli/live/live_find.h"
#include "cli/run/names.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct live_trace_options {
    pid_t pid;            /* 0 = all processes of the run */
    const char *function; /* a pattern: its calls and what they call; NULL = all */
    const char *thread;   /* a pattern for names, or a tid; NULL = all */
    int64_t depth;        /* levels of calls shown; 0 = all */
    unsigned level;       /* macros up to it; 0 = all */
    bool no_calls;        /* messages and checkpoints alone */
    bool colour;
    enum name_style style;
    long limit; /* calls; 0 = all */
};

/* Prints until the recording ends, the limit is reached, or SIGINT or SIGTERM comes. Returns 0, or 2
 * after saying what is wrong. */
int live_trace(struct live_run *run, const struct live_trace_options *options);

#endif
