/* The database of a campaign: its request, the experiments still to run, and what came of the
 * others. */
#ifndef FISQL_CLI_FAULTS_EXPERIMENTS_H
#define FISQL_CLI_FAULTS_EXPERIMENTS_H

#include "cli/faults/trial.h"
#include "cli/faults/verdict.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* Two campaigns with the same key are one: the second start goes on where the first one stopped. */
struct campaign_key {
    const char *calls, *per, *folder;
    bool copy;
    char **program; /* and its arguments */
    char stamp[96]; /* of the program's file: another build is another program */
};

/* Opens the database for writing, after the checks for one that is read. NULL after saying what is
 * wrong. */
sqlite3 *experiments_open(const char *path);

int experiments_put_key(sqlite3 *database, const struct campaign_key *key);
bool experiments_has_key(sqlite3 *database, const struct campaign_key *key);
/* A value of the table campaign; NULL = none. Caller frees. */
char *experiments_value(sqlite3 *database, const char *key);
/* The program and its arguments, then NULL; NULL after saying what is wrong. Release them. */
char **experiments_program(sqlite3 *database);
void experiments_program_release(char **program);

/* Experiments still to run. */
struct pending_one {
    int64_t id;
    char *rule;
};
struct pending {
    struct pending_one *items;
    size_t count, room;
};
/* Those up to the id `limit` (0 = all). Returns 0, or 2 after saying what is wrong. Release in any
 * case. */
int experiments_pending(sqlite3 *database, int64_t limit, struct pending *pending);
void pending_release(struct pending *pending);
/* The rule of an experiment; NULL = no such experiment. Caller frees. */
char *experiments_rule(sqlite3 *database, int64_t id);

/* Writes what came of an experiment. `run` is the database of its log, which names the functions
 * that ran only here; log = NULL: it is not kept. Returns 0, or 2 after saying what is wrong. */
int experiments_put(const char *path, int64_t id, const struct verdict *verdict, int64_t elapsed_ns,
                    const char *log, sqlite3 *run);

#endif
