/* The collector's own report of an incident: see incident_print.c. */
#ifndef FISQL_COLLECTOR_INCIDENTS_INCIDENT_PRINT_H
#define FISQL_COLLECTOR_INCIDENTS_INCIDENT_PRINT_H

#include "collector/incidents/incident.h"

/* Prints what is known on stderr. */
void incident_print(const struct trouble *trouble);

#endif
