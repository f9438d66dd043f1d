/* Signals that end the program: see incident_signals.c. */
#ifndef FISQL_COLLECTOR_INCIDENTS_INCIDENT_SIGNALS_H
#define FISQL_COLLECTOR_INCIDENTS_INCIDENT_SIGNALS_H

/* Stands in front of signals from now on; what is needed later is looked up. */
void incident_setup(void);
/* The program forbids itself system calls: signals do again what they did; and if it failed to. */
void incident_signals_off(void);
void incident_signals_on(void);
/* A thread begins to be recorded, or ends: it gets a stack for handlers, unless it has one. */
void incident_thread_begin(void);
void incident_thread_end(void);

#endif
