/* Hook calls that rules name, by their return addresses. */
#ifndef FISQL_COLLECTOR_FAULTS_FAULTS_HOOKS_H
#define FISQL_COLLECTOR_FAULTS_FAULTS_HOOKS_H

#include "collector/core/base.h"
#include "formats/fault.h"

#include <stdint.h>

#define FAULT_HOOK_PLACES 16384u /* by address; a power of two */

/* A hook call in a function that rules name. */
struct fault_hook {
    uint64_t address; /* its return address; 0 = the place is free */
    uint64_t bias;
    const struct fisql_fault_hook *what;
};

/* The table; NULL = there are no rules. */
extern HIDDEN struct fault_hook *fault_hooks;

/* Puts a hook call of a loaded module into the table. */
void fault_hook_put(const struct fisql_fault_hook *hook, uint64_t bias);
/* NULL = no rule names the hook call. Only if there are rules. */
const struct fault_hook *fault_hook_at(uint64_t address);

#endif
