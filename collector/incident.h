/*
 * When the program goes wrong: it says so in its log, to `fisql record` by the live area (struct
 * fisql_incident_box), and waits a moment until that has told it; without fisql record it prints what it
 * knows itself. Everything here may be called in a signal's handler, in the middle of anything.
 *
 * What is wrong is learned by standing in front of calls (incident_calls.c) and of signals
 * (incident_signals.c). Nothing is paid before it happens.
 */
#ifndef FISQL_COLLECTOR_INCIDENT_H
#define FISQL_COLLECTOR_INCIDENT_H

#include "live_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thread_log;

/* An incident that is being made: what happened, and where the stack of the thread stands. */
struct trouble {
    struct fisql_incident told;
    uint64_t stack; /* the stack pointer where it happened; 0 = not known */
    bool fatal;     /* the program ends by it: else only who waits for it is told */
};

void trouble_begin(struct trouble *trouble, enum fisql_incident_kind kind, int signal,
                   uint64_t code, uint64_t stack);
/* Appends to its text, cut where that is full. */
void trouble_text(struct trouble *trouble, const char *text);
void trouble_number(struct trouble *trouble, uint64_t number);
void trouble_hex(struct trouble *trouble, uint64_t number);

/* Tells it. Nothing happens where the process is not recorded. */
void incident_tell(struct trouble *trouble);

/* Is the calling thread on its way from an incident that was told to the end that it leads to, such as
 * from a failed assert() to SIGABRT? `stack` is where it stands now. */
bool incident_is_told(uint64_t stack);
/* The program goes on elsewhere. */
void incident_forget(void);

/* Looks for return addresses of open calls that are not where they were (incident_stack.c); adds what it
 * finds to the text. */
void incident_look(struct trouble *trouble);
/* Reads memory that may not be there. Returns whether all of it was. */
bool incident_read(uint64_t address, void *into, size_t bytes);
/* Prints what is known, on the standard error stream (incident_print.c). */
void incident_print(const struct trouble *trouble);

/* Maps the live area's box. */
void incident_load(uint64_t offset, uint64_t bytes);
/* Stands in front of signals from now on; what is needed later is looked up. */
void incident_setup(void);
/* The program forbids itself system calls: signals do again what they did; and if it failed to. */
void incident_signals_off(void);
void incident_signals_on(void);
/* A thread begins to be recorded, or ends: it gets a stack for handlers, unless it has one. */
void incident_thread_begin(void);
void incident_thread_end(void);

#endif
