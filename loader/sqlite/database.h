/*
 * The database as a file: made beside its place under a name of its own and renamed when it is
 * complete, so that nobody ever sees half of one.
 */
#ifndef FISQL_LOADER_DATABASE_H
#define FISQL_LOADER_DATABASE_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>

#include "base/error.h"

struct database {
    char *target, *temporary; /* paths */
    char *indexes;            /* SQL that makes the schema's indexes */
    int lock;                 /* descriptor that tells others that the temporary is in use */
    struct {
        pthread_t thread;
        pthread_mutex_t lock;
        pthread_cond_t changed;
        bool begun, stop;
    } write_out;
};

/* Checks that the target may be written (absent, empty, or a fisql database nobody has open),
 * removes what killed loads left beside it, and makes the temporary with the schema, readable by
 * nobody who may not read the log. */
int database_create(struct database *database, const char *target, const char *log,
                    const char *schema, struct error *error);
/* Makes the schema's indexes. Before, the temporary has none but those of frames, which are empty: tables
 * without indexes can be written page by page, and an index of many rows is made faster at once than row
 * by row. */
int database_index(const struct database *database, sqlite3 *connection, struct error *error);
/* Opens the temporary through sqlite3, tuned for loading. */
int database_open_temporary(const struct database *database, sqlite3 **out, struct error *error);
/* From now on the disk gets what is written, a moment later: the kernel would wait for half a minute, and
 * database_publish() then for the disk. */
void database_write_out(struct database *database);
/* Puts the temporary in the target's place. */
int database_publish(struct database *database, struct error *error);
/* Removes the temporary, if it was not published, and frees. */
void database_release(struct database *database);

#endif
