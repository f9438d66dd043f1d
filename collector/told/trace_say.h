/* Messages of fisql_trace.h: fisql_trace_say() is all there is. */
#ifndef FISQL_COLLECTOR_TOLD_TRACE_SAY_H
#define FISQL_COLLECTOR_TOLD_TRACE_SAY_H

#include "collector/told/trace.h"

#endif
