/* Prints the stacks of the threads of a program that is being recorded (`fisql stacks`). */
#ifndef FISQL_CLI_LIVE_LIVE_STACKS_H
#define FISQL_CLI_LIVE_LIVE_STACKS_H

#include "cli/live/live_find.h"
#include "cli/run/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct live_stacks_options {
    pid_t pid; /* 0 = all processes of the run */
    enum name_style style;
    bool each, all;  /* as in struct live_show */
    size_t last_max; /* last calls of each thread */
};

/* Prints them. Returns 0, 1 if there is a deadlock, or 2 after saying what is wrong. */
int live_stacks_show(const struct live_stacks_options *options, struct live_run *run);

#endif
