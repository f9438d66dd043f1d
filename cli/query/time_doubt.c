/* How much of a row's times recording may have made: see time_doubt.h. */
#include "cli/query/time_doubt.h"

#include "cli/run/database.h"
#include "cli/run/measure.h"
#include "cli/run/run_view.h"

#include <stdbool.h>
#include <string.h>

static double run_value(sqlite3 *database, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    double value = 0;
    if (run_row(database, sql, &statement))
        value = sqlite3_column_double(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

double time_doubt_share(sqlite3 *database)
{
    return run_value(database, "SELECT e.value * 1.0 / nullif(c.value, 0) FROM run e JOIN run c"
                               " WHERE e.key = 'hook_cost_error_ns' AND c.key = 'hook_cost_ns'");
}

static double hooks_ns(sqlite3 *database)
{
    return run_value(database, "SELECT sum(value) / 1000.0 FROM run"
                               " WHERE key IN ('hook_inside_ps', 'hook_outside_ps')");
}

double time_doubt_a_call(sqlite3 *database)
{
    return time_doubt_share(database) * hooks_ns(database);
}

void time_doubt_init(struct time_doubt *doubt, sqlite3 *database, sqlite3_stmt *statement)
{
    *doubt = (struct time_doubt){
        .share = time_doubt_share(database),
        .hooks_ns = hooks_ns(database),
        .calls = database_column(statement, "calls"),
        .self = database_column(statement, measure_self(MEASURE_WALL)),
        .self_cpu = database_column(statement, measure_self(MEASURE_CPU)),
        .raw_self = database_column(statement, "raw_self_ns"),
        .total = database_column(statement, measure_total(MEASURE_WALL)),
        .cpu = database_column(statement, measure_total(MEASURE_CPU)),
        .raw_total = database_column(statement, "raw_total_ns"),
    };
}

double time_doubt_of_sum(const struct time_doubt *doubt, sqlite3_stmt *statement, int column)
{
    bool of_self = column == doubt->self || column == doubt->self_cpu;
    int adjusted = of_self ? doubt->self : doubt->total;
    int raw = of_self ? doubt->raw_self : doubt->raw_total;
    if (!of_self && column != doubt->total && column != doubt->cpu)
        return 0;
    if (adjusted >= 0 && raw >= 0)
        return doubt->share *
               (sqlite3_column_double(statement, raw) - sqlite3_column_double(statement, adjusted));
    return doubt->calls < 0
               ? 0
               : doubt->share * doubt->hooks_ns * sqlite3_column_double(statement, doubt->calls);
}
