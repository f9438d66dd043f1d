/*
 * Ends a program that hangs in the start of its recording. The collector blocks all signals there, so
 * none of those that ask `fisql record` to end reaches the program: they stay pending. They would for
 * ever where what the collector calls does not return (another preloaded library may stand in front of
 * libc). Then SIGKILL takes their place.
 */
#ifndef FISQL_CLI_RECORD_START_WATCH_H
#define FISQL_CLI_RECORD_START_WATCH_H

#include "cli/record/live.h"
#include "cli/record/record_signals.h"

#include <stdbool.h>
#include <stdint.h>

struct start_watch {
    uint64_t since_ms; /* a signal has been pending at least since then; 0 = none is */
    bool killed;
};

/* To be called often while the program runs; says so when it ends it. */
void start_watch_look(struct start_watch *watch, const struct live *live,
                      const struct signals *signals);

#endif
