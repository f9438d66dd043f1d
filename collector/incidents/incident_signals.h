/* Signals that end the program: see incident_signals.c. */
#ifndef FISQL_COLLECTOR_INCIDENTS_INCIDENT_SIGNALS_H
#define FISQL_COLLECTOR_INCIDENTS_INCIDENT_SIGNALS_H

#include "collector/core/feature.h"

/* The feature: signals need setting up and taking back. */
extern HIDDEN const struct feature incidents_feature;

#endif
