/* Calls that say that something is wrong: see incident_calls.c. */
#ifndef FISQL_COLLECTOR_INCIDENTS_INCIDENT_CALLS_H
#define FISQL_COLLECTOR_INCIDENTS_INCIDENT_CALLS_H

/* Called by fisql.h's macros. */
void fisql_incident(int assertion, const char *file, int line, const char *function,
                    const char *condition, const char *text, const void *place);

#endif
