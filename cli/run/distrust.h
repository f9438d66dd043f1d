/*
 * Databases that somebody else may have made: of a run, of many runs, or one that takes the answers
 * of a server. They hold rows and must do nothing: no trigger and no view of theirs runs, no value
 * is larger than a run needs, and an authorizer refuses what our own statements do not need. So
 * even text of theirs that became SQL by mistake could write no file.
 */
#ifndef FISQL_CLI_RUN_DISTRUST_H
#define FISQL_CLI_RUN_DISTRUST_H

#include <sqlite3.h>
#include <stdbool.h>

/* What is allowed beside reading, and making temporary tables, indexes and views. */
enum distrust_use {
    DISTRUST_READ,
    DISTRUST_CHANGE_ROWS, /* in existing tables */
    DISTRUST_ADD_VIEWS,
    DISTRUST_ASK /* not even these: a statement that somebody else wrote */
};

/* To be called when the connection is open, before its schema is read. */
void distrust(sqlite3 *database, enum distrust_use use);

/* The same for another use from now on: DISTRUST_READ or DISTRUST_ASK. */
void distrust_change(sqlite3 *database, enum distrust_use use);

/* Attaches the file as that schema, which the authorizer refuses otherwise. Returns SQLite's
 * result. */
int distrust_attach(sqlite3 *database, const char *path, const char *schema);

/* Runs our own statements that make tables, which the authorizer refuses otherwise. Returns
 * SQLite's result. */
int distrust_make(sqlite3 *database, const char *own_sql, enum distrust_use use);

/* Is the schema free of virtual tables, which run code of SQLite's modules on what the file holds?
 * Says if not. To be called before anything looks at the tables. */
bool distrust_schema(sqlite3 *database, const char *path);

/* May the database be opened, with the files beside it (base/beside.h)? Says if not. undoes: the
 * connection can write, and undoes a change that was cut off. */
bool distrust_beside(const char *path, bool undoes);

/* Runs one statement, and refuses a text with more. Returns SQLITE_OK or an error. */
int distrust_execute(sqlite3 *database, const char *sql);

#endif
