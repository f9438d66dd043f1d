/* What code a query asks about: see query_fold.h. */
#include "cli/query/query_fold.h"

#include "cli/run/own_code.h"

#include <string.h>

/* Is the question about functions that are not the user's own? */
static bool asks_for_system(const struct query_request *request, sqlite3 *database)
{
    const char *function = request->filters.values[FILTER_FUNCTION];
    if (function != NULL && own_code_none_named(database, function))
        return true;
    for (size_t i = 0; i < request->settings_count; i++) {
        const char *value = strchr(request->settings[i], '=');
        if (value != NULL && own_code_none_named(database, value + 1))
            return true;
    }
    return false;
}

int query_fold(sqlite3 *database, const struct query_file *query,
               const struct query_request *request, bool *folded)
{
    *folded = false;
    if (query != NULL && query->libraries != NULL && own_code_has_external(database))
        return 0;
    return asks_for_system(request, database) ? 0 : own_code_fold(database, folded);
}
