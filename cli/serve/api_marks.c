/* What stands on the timeline beside its calls: waits for locks with who held these, incidents,
 * faults, notes. It is asked for apart from the calls, so that it holds up no drawing. */
#if __has_include(<microhttpd.h>)
#include "cli/serve/api.h"

/* api_marks.sql; each is bound the window, the shortest wait and how many rows at most. */
extern const char api_marks_sql_waits[], api_marks_sql_locks[], api_marks_sql_incidents[],
    api_marks_sql_faults[], api_marks_sql_notes[];

enum { MARKS = 300, MARKS_MAX = 2000 };

enum MHD_Result api_marks(struct request *request)
{
    static const struct {
        const char *key, *sql;
    } kinds[] = {{"waits", api_marks_sql_waits},
                 {"locks", api_marks_sql_locks},
                 {"incidents", api_marks_sql_incidents},
                 {"faults", api_marks_sql_faults},
                 {"notes", api_marks_sql_notes}};
    struct quick quick;
    int64_t from_ns, to_ns, least_ns, limit;
    if (!request_integer(request, "from", 0, INT64_MAX / 2, 0, &from_ns) ||
        !request_integer(request, "to", 0, INT64_MAX / 2, INT64_MAX / 2, &to_ns) ||
        !request_integer(request, "least", 0, INT64_MAX / 2, 1, &least_ns) ||
        !request_integer(request, "limit", 1, MARKS_MAX, MARKS, &limit))
        return reply_problem(request->connection, MHD_HTTP_BAD_REQUEST,
                             "from, to, least, limit (1 to %d): want numbers", MARKS_MAX);
    if (!quick_begin(&quick, request))
        return quick_end(&quick);
    json_open(&quick.answer.json, '{');
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        sqlite3_stmt *rows = quick_prepare(&quick, kinds[i].sql);
        if (rows != NULL) {
            const int64_t values[] = {from_ns, to_ns, least_ns, limit};
            for (int value = 0; value < sqlite3_bind_parameter_count(rows); value++)
                sqlite3_bind_int64(rows, value + 1, values[value]);
        }
        quick_rows(&quick, kinds[i].key, rows);
    }
    json_close(&quick.answer.json, '}');
    return quick_end(&quick);
}
#else
extern const int api_marks_is_not_built_in; /* ISO C forbids an empty file */
#endif
