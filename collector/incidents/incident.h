/*
 * Incidents: when the program goes wrong, its process says so in the log and to fisql record
 * (struct fisql_incident_box), and waits a moment for the report. Without fisql record it prints
 * what it knows itself. A signal handler may call everything here, in the middle of anything.
 *
 * We learn of an incident by standing in front of calls (incident_calls.c) and of signals
 * (incident_signals.c). Until then nothing costs anything.
 */
#ifndef FISQL_COLLECTOR_INCIDENTS_INCIDENT_H
#define FISQL_COLLECTOR_INCIDENTS_INCIDENT_H

#include "collector/core/base.h"
#include "collector/core/feature.h"
#include "collector/incidents/trouble.h"
#include "formats/live.h"

#include <stdbool.h>
#include <stdint.h>

/* Reports the incident, if the process is recorded. */
void incident_tell(struct trouble *trouble);

/* A function ends that is not open: the program has returned to where it was not called from. */
void incident_mismatch(uint64_t function, uint64_t site, uint64_t stack);

/* A block is about to be freed a second time. Call incident_forget() when the program goes on. */
void incident_freed_twice(uint64_t block, uint64_t site, uint64_t stack);

/* Is the calling thread on its way from a reported incident to the end that follows it, such as
 * from a failed assert() to SIGABRT? `stack`: its stack pointer now. */
bool incident_is_told(uint64_t stack);
/* The program goes on elsewhere. */
void incident_forget(void);

/* Maps the live area's box. */
void incident_load(const struct fisql_live_parts *parts);

#endif
