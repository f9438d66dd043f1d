/*
 * Databases that lack rows of calls (load --calls=long, --calls=none). Every sum in them is whole;
 * who asks for single calls reads the log again, into a database that nobody else sees and that
 * goes with the process. That takes as long as a load, and as much room in $TMPDIR (/var/tmp).
 */
#ifndef FISQL_CLI_RUN_WHOLE_CALLS_H
#define FISQL_CLI_RUN_WHOLE_CALLS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* Does the database lack rows that a log has which can be read? */
bool whole_calls_possible(sqlite3 *database);

/* Closes *database, of `path`, and opens one with all rows of calls (from_id, to_id: with the long
 * ones and those between; 0, 0 = all); leaves one alone that has all that there can be. what: needs
 * them, in words. Returns false after saying why that is impossible; *database is open still. */
bool whole_calls_open(sqlite3 **database, const char *path, const char *what, int64_t from_id,
                      int64_t to_id);

#endif
