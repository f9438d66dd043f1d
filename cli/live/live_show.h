/* Threads of a running program for `fisql stacks`: their stacks, equal ones once, the locks that
 * they wait for, and circles of waiting. */
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
    struct live_names *names;           /* of the process; NULL = it is gone */
    struct live_clock clock;
    enum name_style style;
    bool each; /* shows threads with equal stacks apart, ... */
    bool all;  /* ... and deep stacks whole */
};

/* Prints each thread's stack, and its last calls if they were read. */
int live_show_threads(const struct live_show *show);

/* Prints the circle of these threads, by index. */
void live_show_circle(const struct live_show *show, const size_t *members, size_t count);

#endif
