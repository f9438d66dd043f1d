/* Chunks of which the log has the start and, elsewhere, the whole: see log_torn.c. */
#ifndef FISQL_CLI_RECORD_LOG_TORN_H
#define FISQL_CLI_RECORD_LOG_TORN_H

#include "cli/record/live.h"

#include <stdint.h>

/* When nobody writes any more: says in the log at `path`, and in its `kept` earlier ones (path.1 ...),
 * which places are such a start. Places that it cannot explain stay damage. */
void log_torn_tell(struct live *live, const char *path, uint32_t kept);

#endif
