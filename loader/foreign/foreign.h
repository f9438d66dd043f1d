/*
 * Recordings of other tools: uftrace's folders, Chrome's JSON trace events, Perfetto's traces. They
 * are known by their content and turned into a log (log_writer.h), which the loader reads like any
 * other; what they do not have, the log lacks, too. docs/foreign.md says what is taken from where.
 *
 * What they hold is not trusted: names, numbers, nesting and sizes are bounded, and what contradicts
 * itself is counted and becomes a row of `losses`.
 */
#ifndef FISQL_LOADER_FOREIGN_FOREIGN_H
#define FISQL_LOADER_FOREIGN_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "loader/foreign/foreign_input.h"

/* A log made of another tool's recording; zeros = none was made. */
struct foreign_log {
    struct log_writer *writer;
    const char
        *path; /* of the log, until foreign_log_close(); NULL = the recording is a log itself, or
                         nothing that is known */
    const char *source; /* the value of run.source */
};

/* Looks at what lies at `path` and makes a log of it where it is another tool's. folder: for the
 * log, a temporary file without a name. 0, or -1: *error says why; close it in both cases. */
MUST_CHECK int foreign_log_make(struct foreign_log *log, const char *path, const char *folder,
                                foreign_progress *progress, void *context, struct error *error);
void foreign_log_close(struct foreign_log *log);

#endif
