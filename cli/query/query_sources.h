/* The queries that a query reads: one may select from others by the names of their views
 * (query_view_name). Views in the database would read it as it was recorded, and somebody else may
 * have made them. So each gets a temporary view, which sees what own_code.h folded. */
#ifndef FISQL_CLI_QUERY_QUERY_SOURCES_H
#define FISQL_CLI_QUERY_QUERY_SOURCES_H

#include "cli/query/query_file.h"

#include <sqlite3.h>

/* Makes the views that the SQL names. *walks: at least one of them walks contexts. Returns 0, or 2
 * after saying what is wrong. */
int query_sources_make(sqlite3 *database, const char *sql, bool *walks);

/* The same for each view whose name is a word of the SQL, which may be written in any way. */
int query_sources_make_named(sqlite3 *database, const char *sql);

#endif
