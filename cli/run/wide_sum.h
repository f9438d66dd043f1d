/*
 * SQL's sum() that does not fail. SQLite's ends a statement if a sum of integers leaves 64 bits, as
 * numbers that somebody made up may. This one then gives the nearest 64-bit number, and otherwise
 * what SQLite's gives.
 */
#ifndef FISQL_CLI_RUN_WIDE_SUM_H
#define FISQL_CLI_RUN_WIDE_SUM_H

#include <sqlite3.h>

/* Puts it in the place of SQLite's. Returns an SQLite result. */
int wide_sum_add(sqlite3 *database);

#endif
