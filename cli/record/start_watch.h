/*
 * Ends a program that hangs in the start of its recording. The collector blocks all signals there,
 * so signals that ask `fisql record` to end stay pending in the program; for ever, if a function
 * that the collector calls does not return (another preloaded library may have replaced a function
 * of libc). Then we send SIGKILL instead.
 */
#ifndef FISQL_CLI_RECORD_START_WATCH_H
#define FISQL_CLI_RECORD_START_WATCH_H

#include "cli/record/live.h"
#include "cli/record/record_signals.h"

#include <stdbool.h>
#include <stdint.h>

struct start_watch {
    int64_t since_ns; /* a signal has been pending at least since then; 0 = none */
    bool killed;
};

/* To be called often while the program runs. Says so if it ends the program. */
void start_watch_look(struct start_watch *watch, const struct live *live,
                      const struct signals *signals);

#endif
