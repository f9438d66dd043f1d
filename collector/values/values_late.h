/*
 * Asks fisql record for the recipes of modules that come while the program runs, or with another
 * program (exec), by collector/core/late.h. A program that starts
 * waits for those of its modules (values_late_wait()). Nobody else waits: until they come, calls have no
 * values and are counted.
 */
#ifndef FISQL_COLLECTOR_VALUES_VALUES_LATE_H
#define FISQL_COLLECTOR_VALUES_VALUES_LATE_H

#include "collector/core/feature.h"
#include "formats/live.h"

#include <stdbool.h>

/* Asks. False if nobody can answer. Signals are blocked. */
bool values_late_ask(const struct feature_module *module);
/* Takes the recipes in the answer about a module that is about to be patched, if there are any. Signals
 * are blocked. */
void values_late_take(const struct fisql_late_module *entry, const struct feature_module *module);
/* Waits up to wait_ms for the answers, or until nobody is left to answer, and takes them. */
void values_late_wait(uint32_t wait_ms);
/* Another module may lie there now. */
void values_late_forget(uint64_t start, uint64_t end);
void values_late_forked(void);

enum late_answer {
    LATE_NOBODY, /* nothing is awaited for the address */
    LATE_WAITS,
    LATE_CAME /* recipes have just come */
};
enum late_answer values_late_look(uint64_t address);

#endif
