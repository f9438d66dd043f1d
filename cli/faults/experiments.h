/* The database of a campaign: what it was asked for, which experiments are still to be run, what came of the others. */
#ifndef FISQL_CLI_FAULTS_EXPERIMENTS_H
#define FISQL_CLI_FAULTS_EXPERIMENTS_H

#include "cli/faults/trial.h"
#include "cli/faults/verdict.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* What makes two campaigns the same, so that the second one goes on where the first one stopped. */
struct campaign_key {
    const char *calls, *per, *folder;
    bool copy;
    char **program; /* and its arguments */
    char stamp[96]; /* of the program's file: another build is another program */
};

/* Opens the database for writing, after looking at it as at any that is read. NULL after saying what is wrong. */
sqlite3 *experiments_open(const char *path);

int experiments_put_key(sqlite3 *database, const struct campaign_key *key);
bool experiments_has_key(sqlite3 *database, const struct campaign_key *key);
/* The value of a key of the table campaign; NULL if there is none. Caller frees. */
char *experiments_value(sqlite3 *database, const char *key);
/* The program and its arguments, with NULL at the end; NULL after saying what is wrong. Caller frees each and all. */
char **experiments_program(sqlite3 *database);
void experiments_program_release(char **program);

/* Experiments that are still to be run. */
struct pending_one {
    int64_t id;
    char *rule;
};
struct pending {
    struct pending_one *items;
    size_t count, room;
};
/* Those not run yet, up to the id `limit` (0 = all). Returns 0, or 2 after saying what is wrong. Release in any case. */
int experiments_pending(sqlite3 *database, int64_t limit, struct pending *pending);
void pending_release(struct pending *pending);
/* The rule of an experiment; NULL if there is none. Caller frees. */
char *experiments_rule(sqlite3 *database, int64_t id);

/* What came of an experiment. `run` is the database of its log, of which the functions are taken that did not run
 * without faults; log = NULL: it is not kept. Returns 0, or 2 after saying what is wrong. */
int experiments_put(const char *path, int64_t id, const struct verdict *verdict, int64_t elapsed_ns,
                    const char *log, sqlite3 *run);

#endif
