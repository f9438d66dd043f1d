/* What a run has recorded so far, as a log of its own. */
#ifndef FISQL_CLI_RECORD_INCIDENT_COPY_H
#define FISQL_CLI_RECORD_INCIDENT_COPY_H

#include "cli/record/live.h"

/* Makes a log in memory of what is in the run's log and what its threads have in the live area now. Of a long log
 * only the newest events are in it (*whole: all are), but all facts: stacks are known from what each chunk begins
 * with. Nothing stops meanwhile. Returns a descriptor that the caller closes, or -1. */
int incident_copy(struct live *live, bool *whole);

#endif
