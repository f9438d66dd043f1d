/*
 * Databases that somebody else may have made: a run's, a file of many runs, or one that a server's answers
 * go into. They hold rows, and are to do nothing: no trigger and no view of theirs runs, no value is larger
 * than a run can need, and an authorizer refuses what fisql's own statements do not need. So text of theirs
 * that became SQL by mistake could still write no file.
 */
#ifndef FISQL_CLI_RUN_DISTRUST_H
#define FISQL_CLI_RUN_DISTRUST_H

#include <sqlite3.h>
#include <stdbool.h>

/* What else is allowed than to read, and to make temporary tables, indexes and views. */
enum distrust_use {
    DISTRUST_READ,
    DISTRUST_CHANGE_ROWS, /* in the tables that are there */
    DISTRUST_ADD_VIEWS
};

/* To be called when the connection is open, before its schema is read. */
void distrust(sqlite3 *database, enum distrust_use use);

/* Attaches the file as that schema, which distrust() refuses. Returns SQLite's result. */
int distrust_attach(sqlite3 *database, const char *path, const char *schema);

/* Runs statements of fisql's own that make its tables, which distrust() refuses. Returns SQLite's result. */
int distrust_make(sqlite3 *database, const char *own_sql, enum distrust_use use);

/* Are there no virtual tables, which run code of SQLite's modules on what the file holds? Else says so. To be
 * called before anything that looks at the tables. */
bool distrust_schema(sqlite3 *database, const char *path);

/* May the database be opened, with what lies beside it (base/beside.h)? Else says so. undoes: a change that was cut
 * off is undone by the connection, which can write. */
bool distrust_beside(const char *path, bool undoes);

/* Runs one statement, and refuses a text that holds more. Returns SQLITE_OK or an error. */
int distrust_execute(sqlite3 *database, const char *sql);

#endif
