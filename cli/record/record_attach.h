/* `fisql record -p`: records a process that runs already, for a time. */
#ifndef FISQL_CLI_RECORD_RECORD_ATTACH_H
#define FISQL_CLI_RECORD_RECORD_ATTACH_H

#include "cli/record/record_options.h"

/* Attaches, records until the time is over, a signal comes or the process ends, and leaves the process
 * as it was. Returns the exit status: 0; 1 if the collector had to stay in it; 2 after saying why it
 * cannot be recorded. */
int record_attach(struct record_options *options);

#endif
