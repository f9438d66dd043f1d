/* The queries that a query reads: one may select from others by the names of their views
 * (query_view_name). Views in the database would read it as it was recorded, and somebody else may
 * have made them. So each gets a temporary view, which sees what own_code.h folded. To prepare a
 * statement that reads a dozen long views takes SQLite a second, as it copies each where it is read:
 * of one that reads many, each gets a temporary table with its rows instead. */
#ifndef FISQL_CLI_QUERY_QUERY_SOURCES_H
#define FISQL_CLI_QUERY_QUERY_SOURCES_H

#include "cli/query/query_file.h"

#include <sqlite3.h>

/* Does one of the views that the SQL reads walk contexts? Then their frames are to be checked
 * before it is made. */
bool query_sources_walk(const char *sql);

/* Makes the views or tables that the SQL reads, with the rows of now, in place of those there are.
 * Returns 0, or 2 after saying what is wrong, but for an interruption. */
int query_sources_make(sqlite3 *database, const char *sql);

/* Drops them. Statements that read them must be finalized before. */
int query_sources_drop(sqlite3 *database, const char *sql);

/* Makes a view for each whose name is a word of the SQL, which may be written in any way. Returns 0,
 * or 2 after saying what is wrong. */
int query_sources_make_named(sqlite3 *database, const char *sql);

#endif
