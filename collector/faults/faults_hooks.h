/* The hook calls that rules name, by their addresses. */
#ifndef FISQL_COLLECTOR_FAULTS_FAULTS_HOOKS_H
#define FISQL_COLLECTOR_FAULTS_FAULTS_HOOKS_H

#include "collector/core/base.h"
#include "formats/fault.h"

#include <stdint.h>

#define FAULT_HOOK_PLACES 16384u /* by address; a power of two */

/* A hook call in the code of a function that rules name. */
struct fault_hook {
    uint64_t address; /* atomic: that it returns to, in memory; 0 = the place is free */
    uint64_t bias;
    const struct fisql_fault_hook *what;
};

/* The table; NULL where there are no rules. */
extern HIDDEN struct fault_hook *fault_hooks;

/* A module was loaded: puts one of its hook calls into the table. */
void fault_hook_put(const struct fisql_fault_hook *hook, uint64_t bias);
/* There are rules. NULL where none names the hook call. */
const struct fault_hook *fault_hook_at(uint64_t address);

#endif
