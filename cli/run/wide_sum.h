/*
 * SQL's sum() that does not fail: SQLite's ends a statement where a sum of integers leaves 64 bits, as those of numbers in
 * a database that somebody made up may. This one gives the nearest number of 64 bits, and else what SQLite's gives.
 */
#ifndef FISQL_CLI_RUN_WIDE_SUM_H
#define FISQL_CLI_RUN_WIDE_SUM_H

#include <sqlite3.h>

/* Puts it in the place of SQLite's. Returns an SQLite result. */
int wide_sum_add(sqlite3 *database);

#endif
