/*
 * Asks fisql record for the recipes of modules that come while the program runs, or with another
 * program (exec), by the live area (struct fisql_late in formats/live.h). A program that starts
 * waits for those of its modules (late_wait()). Nobody else waits: until they come, calls have no
 * values and are counted.
 */
#ifndef FISQL_COLLECTOR_VALUES_VALUES_LATE_H
#define FISQL_COLLECTOR_VALUES_VALUES_LATE_H

#include "collector/core/feature.h"
#include "formats/live.h"

#include <stdbool.h>

/* Sets the part of the live area in which to ask; 0 bytes = none. */
void late_load(const struct fisql_live_part *part);
/* Asks. False if nobody can answer. Signals are blocked. */
bool late_ask(const struct feature_module *module);
/* Waits up to wait_ms for the answers, or until nobody is left to answer, and takes them. */
void late_wait(uint32_t wait_ms);
/* Another module may lie there now. */
void late_forget(uint64_t start, uint64_t end);
void late_forked(void);

enum late_answer {
    LATE_NOBODY, /* nothing is awaited for the address */
    LATE_WAITS,
    LATE_CAME /* recipes have just come */
};
enum late_answer late_look(uint64_t address);

#endif
