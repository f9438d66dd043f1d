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
#include "formats/live.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thread_log;

#define INCIDENT_POINTERS_MAX 27u

/* An incident that is being made: what happened, and where the stack of the thread stands. */
struct trouble {
    struct fisql_incident told;
    uint64_t stack; /* the stack pointer where it happened; 0 = not known */
    uint64_t
        pointers[INCIDENT_POINTERS_MAX]; /* what registers and the frame held: of blocks, perhaps */
    uint32_t pointers_count;
    bool fatal; /* the program ends by it: else only who waits for it is told */
};

void trouble_begin(struct trouble *trouble, enum fisql_incident_kind kind, int signal,
                   uint64_t code, uint64_t stack);
/* Appends to its text, cut where that is full. */
void trouble_text(struct trouble *trouble, const char *text);
void trouble_number(struct trouble *trouble, uint64_t number);
void trouble_hex(struct trouble *trouble, uint64_t number);

/* Tells it. Nothing happens where the process is not recorded. */
void incident_tell(struct trouble *trouble);

/* An exit came of a function that is not open: the program has returned to where it was not called from. */
void incident_mismatch(uint64_t function, uint64_t site, uint64_t stack);

/* Is the calling thread on its way from an incident that was told to the end that it leads to, such as
 * from a failed assert() to SIGABRT? `stack` is where it stands now. */
bool incident_is_told(uint64_t stack);
/* The program goes on elsewhere. */
void incident_forget(void);

/* Reads memory that may not be there. Returns whether all of it was. */
bool incident_read(uint64_t address, void *into, size_t bytes);

/* Maps the live area's box. */
void incident_load(int file, const struct fisql_live_parts *parts);

#endif
