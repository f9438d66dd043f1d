/*
 * Decides which rules apply to a call, and whether one fires (faults.c). For the calling thread;
 * nothing here allocates, and errno stays.
 */
#ifndef FISQL_COLLECTOR_FAULTS_FAULTS_DECIDE_H
#define FISQL_COLLECTOR_FAULTS_FAULTS_DECIDE_H

#include "collector/process/process.h"
#include "collector/core/quiet.h"
#include "collector/faults/faults_hooks.h"
#include "collector/faults/faults_throw.h"
#include "formats/fault.h"

#include <stdbool.h>

/* A call to which rules may apply. */
struct fault_case {
    uint64_t rules; /* a bit for each rule that names it */
    uint64_t site, stack;
    uint64_t function;             /* with hooks; 0 = the C library's */
    const struct fault_hook *hook; /* of the function, else NULL */
    const uint64_t *arguments;     /* of the C library's call, else NULL */
    uint32_t arguments_count;
};

extern HIDDEN THREAD_LOCAL bool faults_striking;

/* May calls fail now? */
static inline bool faults_on(void)
{
    return collector_inside == 0 && !faults_striking && process_active() &&
           __atomic_load_n(&process.paused, __ATOMIC_RELAXED) == 0;
}

uint64_t fault_rules_of_alloc(unsigned kind);
uint64_t fault_rules_of_call(uint32_t call);
/* Is the site in the collector's code? */
bool fault_is_own(uint64_t site);

/* Counts the call for the rules whose conditions it meets. Returns the rule that fires, or NULL. */
const struct fisql_fault_rule *fault_decide(const struct fault_case *asked);

/* Counts that a rule with `after` struck; fault_decide() counts the others. */
void fault_struck(const struct fisql_fault_rule *rule);
const struct fisql_fault_rule *fault_rule_at(uint32_t number);
uint32_t fault_rule_number(const struct fisql_fault_rule *rule);
/* A text in the area. */
const char *fault_text(uint64_t offset);
/* What a rule throws. Returns false if it throws a class whose module is not loaded. */
bool fault_thrown_of(const struct fisql_fault_rule *rule, struct fault_thrown *thrown);

#endif
