/*
 * Modules that come while the program runs, or with another program (exec), and have no recipes yet:
 * fisql record is asked for them by the live area (struct fisql_late in formats/live.h). A program waits for
 * those of its modules when it starts (late_wait()). Nobody else waits: until they are there, calls have no
 * values and are counted.
 */
#ifndef FISQL_COLLECTOR_VALUES_VALUES_LATE_H
#define FISQL_COLLECTOR_VALUES_VALUES_LATE_H

#include "collector/core/feature.h"
#include "formats/live.h"

#include <stdbool.h>

/* Where in the live area's file it is asked; 0 bytes = nowhere. */
void late_load(const struct fisql_live_part *part);
/* Asks. False where nobody can be asked. Signals are blocked. */
bool late_ask(const struct feature_module *module);
/* Waits for what was asked, so long at most, or until nobody is there to answer, and takes it. */
void late_wait(uint32_t wait_ms);
/* Another module may lie there now. */
void late_forget(uint64_t start, uint64_t end);
void late_forked(void);

enum late_answer {
    LATE_NOBODY, /* nothing is awaited for this address */
    LATE_WAITS,
    LATE_CAME /* recipes came right now */
};
enum late_answer late_look(uint64_t address);

#endif
