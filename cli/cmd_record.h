/* What `fisql run` uses of `fisql record`: the recording, and ending as the program did. */
#ifndef FISQL_CLI_CMD_RECORD_H
#define FISQL_CLI_CMD_RECORD_H

#include "cli/record/record_options.h"
#include "cli/record/record_signals.h"
#include "cli/record/reference.h"

#include <stdbool.h>

struct recorded {
    int status;       /* the program's, as of wait() */
    bool nothing;     /* nothing was recorded; the reason was printed */
    bool interrupted; /* a signal ended the reference run; `status` is that run's */
    struct reference reference;
    struct signals signals; /* still blocked: signals_inherit() unblocks them */
};

/* Runs the program with its arguments and records it. Returns 0, or 2 after saying why it
 * cannot. */
int record_program(struct record_options *options, char **program, struct recorded *recorded);

/* Ends as the program ended: by its signal, or with the exit status that is returned. */
int record_end_as(int status);

#endif
