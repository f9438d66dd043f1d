/* Which columns hold what a function cost: see cost.h. */
#include "cli/run/cost.h"

#include <stdio.h>

static bool has_column(sqlite3 *database, const char *table, const char *column)
{
    return sqlite3_table_column_metadata(database, NULL, table, column, NULL, NULL, NULL, NULL,
                                         NULL) == SQLITE_OK;
}

const char *cost_column(sqlite3 *database, enum cost cost)
{
    bool split = has_column(database, "function_stats", "self_wait_ns");
    if (cost == COST_WAIT)
        return split ? "self_wait_ns" : NULL;
    return split ? "self_cpu_ns" : "self_ns";
}

double cost_sum(sqlite3 *database, enum cost cost)
{
    const char *column = cost_column(database, cost);
    sqlite3_stmt *row = NULL;
    char sql[256];
    double sum = 0;
    if (column == NULL)
        return 0;
    snprintf(sql, sizeof sql, "SELECT total(%s) FROM function_stats", column);
    if (sqlite3_prepare_v2(database, sql, -1, &row, NULL) == SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW)
        sum = sqlite3_column_double(row, 0);
    sqlite3_finalize(row);
    return sum;
}
