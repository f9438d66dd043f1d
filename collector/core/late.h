/*
 * Asks fisql record about modules that this process has loaded, by the live area (struct fisql_late
 * in formats/live.h).
 */
#ifndef FISQL_COLLECTOR_CORE_LATE_H
#define FISQL_COLLECTOR_CORE_LATE_H

#include "collector/core/feature.h"
#include "formats/live.h"

#include <stdbool.h>

/* The module's entry with these flags; asks unless somebody has. NULL = nobody can answer, or there
 * is no room. Signals are blocked. */
struct fisql_late_module *late_ask(const struct feature_module *module, uint32_t flags);
/* Waits until the answer is there, until `end_ns` (CLOCK_MONOTONIC), or until nobody is left who
 * could answer. Returns whether it is there. Changes errno. */
bool late_wait(struct fisql_late_module *entry, uint64_t end_ns);
static inline bool late_answered(const struct fisql_late_module *entry)
{
    return __atomic_load_n(&entry->state, __ATOMIC_ACQUIRE) == FISQL_LATE_ANSWERED;
}

#endif
