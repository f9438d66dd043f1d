/*
 * record --summary-at: a thread's profile in ten lines, on stderr, when it ends, when the program ends, or whenever fisql
 * record gets a signal. A thread of fisql record sees in the log which threads have ended, loads what was recorded so far into
 * a database of its own, at a lower priority than the program's, and prints from that. The program does nothing for it.
 */
#ifndef FISQL_CLI_RECORD_SUMMARY_H
#define FISQL_CLI_RECORD_SUMMARY_H

#include "cli/record/live.h"
#include "live/live_ends.h"

#define SUMMARY_ENDED_MAX 64u /* threads that wait to be shown */

struct summary {
    struct live *live;
    const struct record_options *options;
    const uint32_t *asked; /* atomic: how often the signal came; borrowed */
    uint32_t answered;
    struct live_ends ends;
    struct {
        uint32_t pid, tid;
    } ended[SUMMARY_ENDED_MAX];
    uint32_t ended_count, left_out;
    pthread_t thread;
    bool started;
    uint32_t stop; /* atomic */
};

/* Reads the value of --summary-at into the options. False if it is none. */
bool summary_parse(struct record_summary *summary, const char *word);

/* Does nothing unless a summary is wanted. */
void summary_start(struct summary *summary, struct live *live, const struct record_options *options,
                   const uint32_t *asked);
/* Ends the thread. */
void summary_stop(struct summary *summary);
/* After that, shows what is left, when all has been written to the log. */
void summary_end(struct summary *summary);

#endif
