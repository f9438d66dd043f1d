/*
 * An incident while we put it together: what happened, in words and numbers, and what the memory
 * around it holds. A signal handler may call everything here, in the middle of anything.
 */
#ifndef FISQL_COLLECTOR_INCIDENTS_TROUBLE_H
#define FISQL_COLLECTOR_INCIDENTS_TROUBLE_H

#include "collector/core/base.h"
#include "formats/live.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INCIDENT_POINTERS_MAX 27u

/* An incident in the making. */
struct trouble {
    struct fisql_incident told;
    uint64_t stack; /* stack pointer where it happened; 0 = not known */
    /* Words of registers and the frame: of blocks, perhaps. */
    uint64_t pointers[INCIDENT_POINTERS_MAX];
    uint32_t pointers_count;
    bool fatal; /* the program ends by it; else we do not search the stack */
};

void trouble_begin(struct trouble *trouble, enum fisql_incident_kind kind, int signal,
                   uint64_t code, uint64_t stack);
/* Appends to the text; cuts it if it is full. */
void trouble_text(struct trouble *trouble, const char *text);
void trouble_number(struct trouble *trouble, uint64_t number);
void trouble_hex(struct trouble *trouble, uint64_t number);

/* Reads memory that may not exist. Returns whether all of it did. */
bool incident_read(uint64_t address, void *into, size_t bytes);

#endif
