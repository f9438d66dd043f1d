/* What `fisql run` takes of `fisql record`: the recording itself, and ending as the program did. */
#ifndef FISQL_CLI_CMD_RECORD_H
#define FISQL_CLI_CMD_RECORD_H

#include "cli/record/record_options.h"
#include "cli/record/record_signals.h"
#include "cli/record/reference.h"

#include <stdbool.h>

struct recorded {
    int status;       /* the program's, as of wait() */
    bool nothing;     /* nothing was recorded; it is said why */
    bool interrupted; /* we were asked to end in the reference run; `status` is of that */
    struct reference reference;
    struct signals signals; /* blocked still: signals_inherit() lets them in again */
};

/* Runs the program with its arguments and records it. Returns 0, or 2 after saying why it could
 * not be run. */
int record_program(struct record_options *options, char **program, struct recorded *recorded);

/* Ends as the program ended: by its signal, or with the exit status that is returned. */
int record_end_as(int status);

#endif
