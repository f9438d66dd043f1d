/* `fisql top`: what a running program does, by function, once a second. */
#ifndef FISQL_CLI_LIVE_LIVE_TOP_H
#define FISQL_CLI_LIVE_LIVE_TOP_H

#include "cli/live/live_find.h"
#include "cli/live/top_rows.h"
#include "cli/run/names.h"

#include <stdint.h>
#include <sys/types.h>

struct live_top_options {
    pid_t pid; /* 0 = all processes of the run */
    enum name_style style;
    enum top_sort sort;
    const char *filter; /* NULL = all */
    int64_t every_ns;   /* between two tables */
    int64_t tables;     /* 0 = until the recording ends, or we are to end */
    int64_t rows;       /* 0 = all, or as many as the terminal has */
};

/* Shows them: on a terminal in its place, with keys, else one table below the other. Returns 0, or 2
 * after saying what is wrong. */
int live_top(struct live_run *run, const struct live_top_options *options);

#endif
