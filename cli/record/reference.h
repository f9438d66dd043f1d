/*
 * The reference run of `record --reference`: the program again, without the collector. The
 * difference of the two processor times is the whole cost of recording.
 *
 * It gets the same arguments and environment, and the same standard input if that is a file; a
 * terminal gives nothing, and we refuse input that can be read only once (a pipe) before running
 * anything. Its output goes to /dev/null, and it leaves no core. Its time counts only if it ends as
 * the recorded run did. A signal that asks fisql to end ends it, too.
 */
#ifndef FISQL_CLI_RECORD_REFERENCE_H
#define FISQL_CLI_RECORD_REFERENCE_H

#include "cli/record/record_signals.h"

#include <stdint.h>
#include <sys/resource.h>

struct reference {
    int input;     /* descriptor of what the program reads */
    char *preload; /* LD_PRELOAD as we got it, NULL = not set */
};

/* To be called before the environment changes and the program starts. Returns 0, or 2 after saying
 * why its input cannot be read twice. Release it in any case. */
int reference_prepare(struct reference *reference);
void reference_release(struct reference *reference);

/* Runs the program. expected: the recorded run's wait status. Returns the processor time, 0 after
 * saying why it does not count. */
uint64_t reference_run(const struct reference *reference, char **argv, struct signals *signals,
                       int expected);

/* User and system time. */
uint64_t reference_cpu_ns(const struct rusage *usage);

#endif
