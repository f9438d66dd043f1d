/*
 * record --say: hands what a macro left to `fisql record`, which prints it at once. The values go over as they are in the
 * event; `fisql record` makes text of them.
 */
#ifndef FISQL_COLLECTOR_TOLD_TRACE_TELL_H
#define FISQL_COLLECTOR_TOLD_TRACE_TELL_H

#include "collector/told/trace.h"

#include <stdint.h>

struct fisql_told_entry;

/* Takes an entry for so many bytes of values. If all entries wait to be printed, waits, but no longer than TELL_WAIT_MS
 * altogether until one becomes free again; what finds none is counted. *values: where they go. NULL: it cannot be printed.
 * Signals must be blocked. */
struct fisql_told_entry *trace_tell_begin(const struct fisql_trace_point *point,
                                          uint32_t values_bytes, unsigned char **values);
/* Hands it over with the values that were written. */
void trace_tell_end(struct fisql_told_entry *entry, uint32_t values_bytes);

#endif
