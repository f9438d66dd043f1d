/* What the C library keeps: see kept_blocks.h. */
#include "cli/query/kept_blocks.h"

#include "cli/out/say.h"
#include "cli/run/database.h"

#include <string.h>

static const char parameter[] = "all_blocks";

const struct query_part *kept_blocks_parameter(const struct query_file *query)
{
    return query->own ? NULL : query_part_find(query->params, query->params_count, parameter);
}

/* Is the parameter set by -p? */
static bool is_set(const struct query_request *request)
{
    size_t length = strlen(parameter);
    for (size_t i = 0; i < request->settings_count; i++)
        if (strncmp(request->settings[i], parameter, length) == 0 &&
            request->settings[i][length] == '=')
            return true;
    return false;
}

void kept_blocks_say(const struct query_request *request, const struct query_file *query,
                     sqlite3 *database)
{
    if (request->all_blocks || is_set(request) || kept_blocks_parameter(query) == NULL)
        return;
    sqlite3_stmt *statement =
        database_ask(database, "SELECT sum(blocks), sum(bytes) FROM kept_stacks");
    if (database_row(statement) && sqlite3_column_int64(statement, 0) > 0) {
        long long blocks = sqlite3_column_int64(statement, 0);
        note("%s: %lld block%s (%lld bytes) that the C library keeps %s left out; --all-blocks "
             "shows %s",
             query->name, blocks, blocks != 1 ? "s" : "", sqlite3_column_int64(statement, 1),
             blocks != 1 ? "are" : "is", blocks != 1 ? "them" : "it");
    }
    sqlite3_finalize(statement);
}
