/* What a run has recorded so far, as a log of its own. */
#ifndef FISQL_CLI_RECORD_INCIDENT_COPY_H
#define FISQL_CLI_RECORD_INCIDENT_COPY_H

#include "cli/record/live.h"

/* Makes a log in memory of the run's log and the events now in the live area. It has all facts, but
 * of a long log only the newest events (*whole: it has all); each chunk begins with its stack.
 * Nothing stops meanwhile. Returns a descriptor that the caller closes, or -1. */
int incident_copy(struct live *live, bool *whole);

#endif
