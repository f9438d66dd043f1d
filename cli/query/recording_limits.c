/* What was left out while the program ran: see recording_limits.h. */
#include "cli/query/recording_limits.h"

#include "cli/out/amount.h"
#include "cli/out/say.h"

#include <string.h>

enum { LIMITS_SAID = 3 };

/* A filter's time, which the query has taken already; `otherwise` where there is none. */
static int64_t time_of(const struct query_request *request, int filter, int64_t otherwise)
{
    int64_t ns = otherwise;
    if (request->filters.values[filter] == NULL ||
        !amount_time(request->filters.values[filter], &ns))
        return otherwise;
    return ns;
}

void query_limits_say(const struct query_request *request, const struct query_file *query,
                      sqlite3 *database)
{
    sqlite3_stmt *row = NULL;
    long rows = 0;
    if (query->own || strcmp(query->group, "Trust") == 0)
        return;
    if (sqlite3_prepare_v2(database,
                           "SELECT text FROM main.recording_limits WHERE from_ns <= ?2"
                           " AND coalesce(to_ns > ?1, 1)",
                           -1, &row, NULL) == SQLITE_OK &&
        sqlite3_bind_int64(row, 1, time_of(request, FILTER_SINCE, 0)) == SQLITE_OK &&
        sqlite3_bind_int64(row, 2, time_of(request, FILTER_UNTIL, INT64_MAX)) == SQLITE_OK)
        while (sqlite3_step(row) == SQLITE_ROW)
            if (rows++ < LIMITS_SAID)
                note("recording was restricted %s", (const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    if (rows > LIMITS_SAID)
        note("and %ld times more: `fisql query completeness` has them", rows - LIMITS_SAID);
}
