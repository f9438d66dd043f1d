/*
 * When the program goes wrong: it says so in its log, to `fisql record` by the live area (struct
 * fisql_incident_box), and waits a moment until that has told it; without fisql record it prints what it
 * knows itself. Everything here may be called in a signal's handler, in the middle of anything.
 *
 * What is wrong is learned by standing in front of calls (incident_calls.c) and of signals
 * (incident_signals.c). Nothing is paid before it happens.
 */
#ifndef FISQL_COLLECTOR_INCIDENTS_INCIDENT_H
#define FISQL_COLLECTOR_INCIDENTS_INCIDENT_H

#include "collector/core/base.h"
#include "collector/core/feature.h"
#include "collector/incidents/trouble.h"
#include "formats/live.h"

#include <stdbool.h>
#include <stdint.h>

/* Tells it. Nothing happens where the process is not recorded. */
void incident_tell(struct trouble *trouble);

/* An exit came of a function that is not open: the program has returned to where it was not called from. */
void incident_mismatch(uint64_t function, uint64_t site, uint64_t stack);

/* Is the calling thread on its way from an incident that was told to the end that it leads to, such as
 * from a failed assert() to SIGABRT? `stack` is where it stands now. */
bool incident_is_told(uint64_t stack);
/* The program goes on elsewhere. */
void incident_forget(void);

/* Maps the live area's box. */
void incident_load(int file, const struct fisql_live_parts *parts);

#endif
