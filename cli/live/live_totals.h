/* Totals of a running process so far. */
#ifndef FISQL_CLI_LIVE_LIVE_TOTALS_H
#define FISQL_CLI_LIVE_LIVE_TOTALS_H

#include "cli/live/live_find.h"
#include "live/live_threads.h"

struct live_totals {
    uint64_t threads;   /* running now */
    uint64_t calls;     /* entered so far, by ended threads, too */
    uint64_t log_bytes; /* of the run's log */
};

/* Adds up the chunk headers of the log and the area. -1: no memory. */
int live_totals_read(struct live_totals *totals, struct live_run *run,
                     const struct live_image *image, struct error *error);

#endif
