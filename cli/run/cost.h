/* What a function cost: processor time or waiting in its own code. */
#ifndef FISQL_CLI_COST_H
#define FISQL_CLI_COST_H

#include <sqlite3.h>
#include <stdbool.h>

enum cost { COST_CPU, COST_WAIT };

/* The column of function_stats with a function's own time. */
const char *cost_column(enum cost cost);

/* The sum over all functions in ns; 0 where it is not known. */
double cost_sum(sqlite3 *database, enum cost cost);

#endif
