/* What collector/told/trace.c gives to trace_say.c: see fisql_trace.h for the rest. */
#ifndef FISQL_COLLECTOR_TOLD_TRACE_H
#define FISQL_COLLECTOR_TOLD_TRACE_H

#include "collector/core/base.h"

#define FISQL_OFF /* what the macros use, but not the macros */
#include "collector/fisql_trace.h"

/* Records what a macro leaves; `code` lies in its code. A scope that waits for a checkpoint is entered by one,
 * and nothing else is recorded in it before. */
void trace_reach(struct fisql_trace_scope *scope, struct fisql_trace_point *point,
                 const struct fisql_trace_value *values, unsigned count, const void *code);

#endif
