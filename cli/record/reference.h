/*
 * The reference run of `record --reference`: the program once more, without the collector. What it
 * takes of the processor less than the recorded run is what recording cost, all in all.
 *
 * It gets the same arguments and environment. It reads what the recorded one read if that is a file,
 * and nothing from a terminal; input that is gone when it is read (a pipe) is refused before anything
 * is run. What it prints goes to /dev/null, and it leaves no core. Its processor time counts only if
 * it ended as the recorded one did. A signal that asks fisql to end ends it too.
 */
#ifndef FISQL_CLI_RECORD_REFERENCE_H
#define FISQL_CLI_RECORD_REFERENCE_H

#include "cli/record/record_signals.h"

#include <stdint.h>
#include <sys/resource.h>

struct reference {
    int input;     /* descriptor of what the program reads */
    char *preload; /* LD_PRELOAD as it was given to us, NULL = not set */
};

/* To be called before the environment is changed and the program is started. Returns 0, or 2 after
 * saying why the program's input cannot be read twice. Release it in any case. */
int reference_prepare(struct reference *reference);
void reference_release(struct reference *reference);

/* Runs the program. expected: the recorded run's status, as of wait(). Returns its processor time,
 * 0 after saying why it does not count. */
uint64_t reference_run(const struct reference *reference, char **argv, struct signals *signals,
                       int expected);

/* User and system time. */
uint64_t reference_cpu_ns(const struct rusage *usage);

#endif
