/*
 * The database as a file: made beside its place under a name of its own and renamed when it is
 * complete, so that nobody ever sees half of one.
 */
#ifndef FISQL_LOADER_SQLITE_DATABASE_H
#define FISQL_LOADER_SQLITE_DATABASE_H

#include <sqlite3.h>

#include "base/error.h"
#include "loader/sqlite/write_out.h"

struct database {
    char *target, *temporary;   /* paths */
    char *indexes;              /* SQL that makes the schema's indexes */
    int lock;                   /* descriptor that tells others that the temporary is in use */
    struct write_out write_out; /* to be begun when the file is written */
};

/* Checks that the target may be written (absent, empty, or a fisql database nobody has open),
 * removes what killed loads left beside it, and makes the temporary with the schema, readable by
 * nobody who may not read the log. */
MUST_CHECK int database_create(struct database *database, const char *target, const char *log,
                               const char *schema, struct error *error);
/* Makes the schema's indexes. Before, the temporary has none but those of frames, which are empty: tables
 * without indexes can be written page by page, and an index of many rows is made faster at once than row
 * by row. */
MUST_CHECK int database_index(const struct database *database, sqlite3 *connection,
                              struct error *error);
/* Opens the temporary through sqlite3, tuned for loading. */
MUST_CHECK int database_open_temporary(const struct database *database, sqlite3 **out,
                                       struct error *error);
/* Puts the temporary in the target's place. */
MUST_CHECK int database_publish(struct database *database, struct error *error);
/* Removes the temporary, if it was not published, and frees. */
void database_release(struct database *database);

#endif
