/*
 * An incident while it is put together: what happened, in words and numbers, and what the memory holds that it
 * is about. Everything here may be called in a signal's handler, in the middle of anything.
 */
#ifndef FISQL_COLLECTOR_INCIDENTS_TROUBLE_H
#define FISQL_COLLECTOR_INCIDENTS_TROUBLE_H

#include "collector/core/base.h"
#include "formats/live.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Reads memory that may not be there. Returns whether all of it was. */
bool incident_read(uint64_t address, void *into, size_t bytes);

#endif
