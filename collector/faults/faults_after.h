/*
 * Calls that fail after their body has run (`after`): chosen at their entry, by the conditions on
 * their arguments, they wait here for their exit. A thread has a short list; a call is known by its
 * frame, which no other open call of the thread has, and its key: the function, or of a patched one
 * the call site that it returns through, which is also that of a function that it jumps to. A call
 * that was left by a jump or an exception stays in the list until there is such a call again.
 */
#ifndef FISQL_COLLECTOR_FAULTS_FAULTS_AFTER_H
#define FISQL_COLLECTOR_FAULTS_FAULTS_AFTER_H

#include "formats/fault.h"

#include <stdbool.h>
#include <stdint.h>

/* Is there room for one more? */
bool fault_after_room(void);
/* The function's call fails by the rule at its exit. Only if there is room. */
void fault_after_put(uint64_t frame, uint64_t key, uint64_t function,
                     const struct fisql_fault_rule *rule);
/* Takes the rule of a call, of several the last one put; NULL = none. */
const struct fisql_fault_rule *fault_after_take(uint64_t frame, uint64_t key);
/* The function has a new call with this frame: what waits for it belongs to one that is gone. */
void fault_after_forget(uint64_t frame, uint64_t function);

#endif
