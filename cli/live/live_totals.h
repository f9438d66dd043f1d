/* What a running process has recorded so far. */
#ifndef FISQL_CLI_LIVE_LIVE_TOTALS_H
#define FISQL_CLI_LIVE_LIVE_TOTALS_H

#include "cli/live/live_find.h"
#include "live/live_threads.h"

struct live_totals {
    uint64_t threads;   /* that run now */
    uint64_t calls;     /* entered so far, those of threads that have ended included */
    uint64_t log_bytes; /* of the run's log */
};

/* Adds up the headers of the chunks in the log, and what lies in the area. -1: no memory. */
int live_totals_read(struct live_totals *totals, struct live_run *run,
                     const struct live_image *image, struct error *error);

#endif
