/*
 * What findings would save of a run: of its critical path, not of a function's own time. For the list
 * of findings, which has to come at once: only runs whose calls can be read in about a second are
 * replayed, and only where the replay of the run as it was agrees with the run.
 */
#ifndef FISQL_CLI_WHATIF_SAVING_H
#define FISQL_CLI_WHATIF_SAVING_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

struct saving {
    const char *function; /* functions.name; NULL = it is about a lock */
    int64_t lock;         /* locks.id of a mutex or the like: nobody waits for it */
    double cpu_ns;  /* what is taken from the function's own time; below 0: its waits are gone */
    double wait_ns; /* what it waits, by the finding */
    double run_ns;  /* filled in: by how much the run would be shorter; below 0: not known */
};

#define SAVINGS_MAX 16

/* Fills in run_ns of up to SAVINGS_MAX savings of the database's file. Where the run has one thread,
 * too many calls, or waits of which it is not known who ended them, it is not known. 0, or 2 after
 * saying what is wrong. */
int savings_find(sqlite3 *database, struct saving *savings, size_t count);

#endif
