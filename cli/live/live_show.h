/* Threads of a running program as `fisql stacks` shows them: stacks, those that are the same once, what they wait
 * for, and circles in which they wait. */
#ifndef FISQL_CLI_LIVE_LIVE_SHOW_H
#define FISQL_CLI_LIVE_LIVE_SHOW_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/run/names.h"
#include "live/live_clock.h"
#include "live/live_locks.h"
#include "live/live_names.h"

/* All borrowed. */
struct live_show {
    const struct live_source *source;
    const struct live_threads *threads; /* of one process image */
    const struct live_waits *waits;     /* of these */
    struct live_names *names;           /* of the process; NULL = it has none any more */
    struct live_clock clock;
    enum name_style style;
    bool each; /* threads with the same stack are shown each by itself, ... */
    bool all;  /* ... and all calls of deep stacks */
};

/* Prints each thread's stack, and the last calls where they were read. */
int live_show_threads(const struct live_show *show);

/* Prints the circle of threads whose indices these are. */
void live_show_circle(const struct live_show *show, const size_t *members, size_t count);

#endif
