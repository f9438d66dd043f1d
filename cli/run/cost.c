/* Sums of what functions cost: see cost.h. */
#include "cli/run/cost.h"

#include <stdio.h>

const char *cost_column(enum cost cost)
{
    return cost == COST_WAIT ? "self_wait_ns" : "self_cpu_ns";
}

double cost_sum(sqlite3 *database, enum cost cost)
{
    sqlite3_stmt *row = NULL;
    char sql[256];
    double sum = 0;
    snprintf(sql, sizeof sql, "SELECT total(%s) FROM function_stats", cost_column(cost));
    if (sqlite3_prepare_v2(database, sql, -1, &row, NULL) == SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW)
        sum = sqlite3_column_double(row, 0);
    sqlite3_finalize(row);
    return sum;
}
