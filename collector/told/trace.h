/* What trace_say.c needs of trace.c; fisql_trace.h has the rest. */
#ifndef FISQL_COLLECTOR_TOLD_TRACE_H
#define FISQL_COLLECTOR_TOLD_TRACE_H

#include "collector/core/base.h"

#define FISQL_OFF /* declares what the macros use, not the macros */
#include "collector/fisql_trace.h"

/* Records what a macro gives; `code` is an address in its code. A checkpoint enters the scope that
 * waits for one; until then nothing else in that scope is recorded. */
void trace_reach(struct fisql_trace_scope *scope, struct fisql_trace_point *point,
                 const struct fisql_trace_value *values, unsigned count, const void *code);

#endif
