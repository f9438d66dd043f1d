/*
 * Which calls rules are about, and whether they strike: see faults.c. For the calling thread; nothing here
 * allocates, and errno stays.
 */
#ifndef FISQL_COLLECTOR_FAULTS_FAULTS_DECIDE_H
#define FISQL_COLLECTOR_FAULTS_FAULTS_DECIDE_H

#include "collector/process/process.h"
#include "collector/core/quiet.h"
#include "collector/faults/faults_hooks.h"
#include "formats/fault.h"

#include <stdbool.h>

/* A call that rules may be about. */
struct fault_case {
    uint64_t rules; /* a bit for each that names it */
    uint64_t site, stack;
    uint64_t function;             /* with hooks; 0 = of the C library: */
    const struct fault_hook *hook; /* of the function, else NULL */
    const uint64_t *arguments;     /* of a call of the C library, else NULL */
    uint32_t arguments_count;
};

extern HIDDEN THREAD_LOCAL bool faults_striking;

/* May anything fail now? */
static inline bool faults_on(void)
{
    return collector_inside == 0 && !faults_striking && process_active() &&
           __atomic_load_n(&process.paused, __ATOMIC_RELAXED) == 0;
}

uint64_t fault_rules_of_alloc(unsigned kind);
uint64_t fault_rules_of_call(uint32_t call);
/* Is it in the collector's code? */
bool fault_is_own(uint64_t site);

/* Counts the call where it meets rules' conditions. Returns the one that strikes, or NULL. */
const struct fisql_fault_rule *fault_decide(const struct fault_case *asked);

uint32_t fault_rule_number(const struct fisql_fault_rule *rule);
/* A text of the area. */
const char *fault_text(uint64_t offset);

#endif
