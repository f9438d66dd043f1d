/*
 * Where calls that can fail are made, from the run that marked each of them (`fisql record --fault
 * 'malloc: mark'`); and the order in which to make them fail.
 */
#ifndef FISQL_CLI_FAULTS_CONTEXTS_H
#define FISQL_CLI_FAULTS_CONTEXTS_H

#include <sqlite3.h>
#include <stdint.h>

struct contexts_report {
    int64_t experiments;
    int64_t outside;  /* marked calls that no function with hooks made */
    int64_t nameless; /* contexts left out: a caller is in no module, or one with an odd name */
};

/* Fills the database's table experiments from its table faults, and empties that and fault_rules,
 * which held marks, not faults. `per`: "context", "site" or "call". Returns 0, or 2 after saying
 * what is wrong. */
int contexts_to_experiments(sqlite3 *database, const char *per, struct contexts_report *report);

#endif
