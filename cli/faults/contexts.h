/*
 * Where calls that can fail are made, from the run in which each of them was marked (`fisql record --fault
 * 'malloc: mark'`); and the order in which they are made to fail.
 */
#ifndef FISQL_CLI_FAULTS_CONTEXTS_H
#define FISQL_CLI_FAULTS_CONTEXTS_H

#include <sqlite3.h>
#include <stdint.h>

struct contexts_report {
    int64_t experiments;
    int64_t outside; /* marked calls that no function with hooks made */
    int64_t
        nameless; /* contexts left out: a caller is code of no module, or of one with an odd name */
};

/* Fills the table experiments of the database from its table faults, and empties that and fault_rules: they were
 * marks, not faults. `per`: "context", "site" or "call". Returns 0, or 2 after saying what is wrong. */
int contexts_to_experiments(sqlite3 *database, const char *per, struct contexts_report *report);

#endif
