/* Calls, contexts and blocks: call, tree, live. */
#if __has_include(<microhttpd.h>)
#include "cli/serve/api.h"

#include "cli/run/run_view.h"

#include <string.h>

/* api_calls.sql */
extern const char api_calls_sql_call[], api_calls_sql_stack[], api_calls_sql_callees[],
    api_calls_sql_arguments[], api_calls_sql_tree[], api_calls_sql_live[], api_calls_sql_live_sum[];

enum { CALLEES_MAX = 500 };

/* The row of the call, as the object's keys. Returns whether there is one; *last gets the last id
 * within it. */
static bool write_call(struct quick *quick, int64_t id, int64_t *last)
{
    sqlite3_stmt *row = quick_prepare(quick, api_calls_sql_call);
    struct json *json = &quick->answer.json;
    if (row != NULL)
        sqlite3_bind_int64(row, 1, id);
    bool found = quick_row(quick, row);
    *last = id;
    for (int i = 0; found && i < sqlite3_column_count(row); i++) {
        const char *name = sqlite3_column_name(row, i);
        json_key(json, name);
        json_column(json, row, i, SIZE_MAX);
        if (strcmp(name, "descendants") == 0)
            run_add(last, sqlite3_column_int64(row, i));
    }
    sqlite3_finalize(row);
    return found;
}

/* The statement with its first parameter bound. */
static sqlite3_stmt *of_call(struct quick *quick, const char *sql, int64_t id)
{
    sqlite3_stmt *statement = quick_prepare(quick, sql);
    if (statement != NULL)
        sqlite3_bind_int64(statement, 1, id);
    return statement;
}

enum MHD_Result api_call(struct request *request)
{
    struct quick quick;
    int64_t id, last = 0;
    if (!request_rest_number(request, &id))
        return reply_problem(request->connection, MHD_HTTP_BAD_REQUEST, "wants the id of a call");
    if (!quick_begin(&quick, request))
        return quick_end(&quick);
    json_open(&quick.answer.json, '{');
    bool found = write_call(&quick, id, &last);
    if (found) {
        quick_rows(&quick, "arguments", of_call(&quick, api_calls_sql_arguments, id));
        quick_rows(&quick, "stack", of_call(&quick, api_calls_sql_stack, id));
        sqlite3_stmt *callees = of_call(&quick, api_calls_sql_callees, id);
        if (callees != NULL) {
            sqlite3_bind_int64(callees, 2, last);
            sqlite3_bind_int64(callees, 3, CALLEES_MAX);
        }
        quick_rows(&quick, "callees", callees);
    }
    json_close(&quick.answer.json, '}');
    if (found || quick.problem != NULL)
        return quick_end(&quick);
    quick_drop(&quick);
    return reply_problem(request->connection, MHD_HTTP_NOT_FOUND, "there is no row of that call");
}

enum MHD_Result api_live(struct request *request)
{
    struct quick quick;
    int64_t at;
    if (!request_integer(request, "at", 0, INT64_MAX, -1, &at) || at < 0)
        return reply_problem(request->connection, MHD_HTTP_BAD_REQUEST, "at: wants a time in ns");
    if (!quick_begin(&quick, request))
        return quick_end(&quick);
    struct json *json = &quick.answer.json;
    sqlite3_stmt *sum = of_call(&quick, api_calls_sql_live_sum, at);
    json_open(json, '{');
    if (quick_row(&quick, sum))
        for (int i = 0; i < sqlite3_column_count(sum); i++) {
            json_key(json, sqlite3_column_name(sum, i));
            json_column(json, sum, i, 0);
        }
    sqlite3_finalize(sum);
    quick_rows(&quick, "stacks", of_call(&quick, api_calls_sql_live, at));
    json_close(json, '}');
    return quick_end(&quick);
}

enum MHD_Result api_tree(struct request *request)
{
    struct quick quick;
    int64_t parent;
    if (!request_integer(request, "parent", 1, INT64_MAX, 0, &parent))
        return reply_problem(request->connection, MHD_HTTP_BAD_REQUEST,
                             "parent: wants the id of a row of frames");
    if (!quick_begin(&quick, request))
        return quick_end(&quick);
    sqlite3_stmt *rows = quick_prepare(&quick, api_calls_sql_tree);
    if (rows != NULL && parent != 0)
        sqlite3_bind_int64(rows, 1, parent);
    json_open(&quick.answer.json, '{');
    quick_rows(&quick, "frames", rows);
    json_close(&quick.answer.json, '}');
    return quick_end(&quick);
}
#else
extern const int api_calls_is_not_built_in; /* ISO C forbids an empty file */
#endif
