/*
 * The database as a file: we make it beside its place under another name and rename it when it is
 * complete, so nobody ever sees half of it.
 */
#ifndef FISQL_LOADER_SQLITE_DATABASE_H
#define FISQL_LOADER_SQLITE_DATABASE_H

#include <sqlite3.h>

#include "base/error.h"
#include "loader/sqlite/write_out.h"

struct database {
    char *target, *temporary;   /* paths */
    char *indexes;              /* SQL that makes the schema's indexes */
    int lock;                   /* descriptor; its lock shows others that the temporary is in use */
    struct write_out write_out; /* begin it when you write the file */
};

/* Checks that the target may be written (absent, empty, or a fisql database that nobody has open),
 * removes what killed loads left beside it, and makes the temporary with the schema. Only those who
 * may read the log may read it. */
MUST_CHECK int database_create(struct database *database, const char *target, const char *log,
                               const char *schema, struct error *error);
/* Makes the schema's indexes. Until then the temporary has only those of frames, empty: we write
 * tables without indexes page by page, and an index of many rows is faster to make at once than row
 * by row. */
MUST_CHECK int database_index(const struct database *database, sqlite3 *connection,
                              struct error *error);

/* An index of calls by their frames, for who asks for the calls of one function again and again: it
 * takes some 11 bytes a call, and a few times as long as the load. Sorted in temporary files, with a
 * small cache and so many threads: in memory it took twice as long, and memory without bound. Call
 * it outside a transaction. */
MUST_CHECK int database_index_calls(const struct database *database, sqlite3 *connection,
                                    unsigned threads, struct error *error);
/* Opens the temporary through sqlite3, tuned for loading. */
MUST_CHECK int database_open_temporary(const struct database *database, sqlite3 **out,
                                       struct error *error);
/* Renames the temporary to the target. */
MUST_CHECK int database_publish(struct database *database, struct error *error);
/* Removes an unpublished temporary, and frees. */
void database_release(struct database *database);

#endif
