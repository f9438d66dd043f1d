/*
 * Which columns hold what a function cost: the one place that knows them. A database that has no
 * times of waiting counts all of a function's own time as processor time.
 */
#ifndef FISQL_CLI_COST_H
#define FISQL_CLI_COST_H

#include <sqlite3.h>
#include <stdbool.h>

enum cost { COST_CPU, COST_WAIT };

/* The column of function_stats with a function's own time, NULL where there is none. */
const char *cost_column(sqlite3 *database, enum cost cost);

/* The sum over all functions in ns; 0 where it is not known. */
double cost_sum(sqlite3 *database, enum cost cost);

#endif
