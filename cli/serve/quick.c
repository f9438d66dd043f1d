/* Quick answers: see quick.h. */
#if __has_include(<microhttpd.h>)
#include "cli/serve/quick.h"

enum { QUICK_MS = 20000, QUICK_STEPS = 20000, TEXT_BYTES_MAX = 1 << 20 };

/* SQLite calls this now and then while it works; not 0 ends the statement. */
static int watch(void *context)
{
    const struct quick *quick = context;
    return __atomic_load_n(&quick->request->server->stopping, __ATOMIC_RELAXED) ||
           server_now_ms() > quick->deadline_ms || request_is_gone(quick->request);
}

bool quick_begin(struct quick *quick, struct request *request)
{
    *quick = (struct quick){.request = request, .deadline_ms = server_now_ms() + QUICK_MS};
    if (!answer_begin(&quick->answer)) {
        quick->problem = "out of memory";
        return false;
    }
    quick->database = base_take(request->base, &quick->problem);
    if (quick->database != NULL)
        sqlite3_progress_handler(quick->database, QUICK_STEPS, watch, quick);
    return quick->database != NULL;
}

void quick_release(struct quick *quick)
{
    if (quick->database != NULL)
        base_give(quick->request->base, quick->database);
    quick->database = NULL;
}

enum MHD_Result quick_end(struct quick *quick)
{
    quick_release(quick);
    if (quick->answer.json.out == NULL)
        return reply_problem(quick->request->connection, MHD_HTTP_SERVICE_UNAVAILABLE, "%s",
                             quick->problem);
    if (quick->problem != NULL && quick->passes) {
        answer_drop(&quick->answer);
        return reply_problem(quick->request->connection, MHD_HTTP_SERVICE_UNAVAILABLE, "%s",
                             quick->problem);
    }
    return answer_end(&quick->answer, quick->request, quick->problem);
}

void quick_drop(struct quick *quick)
{
    quick_release(quick);
    if (quick->answer.json.out != NULL)
        answer_drop(&quick->answer);
}

void quick_note(struct quick *quick)
{
    int code = sqlite3_errcode(quick->database) & 0xff;
    if (quick->problem != NULL)
        return;
    quick->passes = code == SQLITE_INTERRUPT || code == SQLITE_NOMEM || code == SQLITE_BUSY;
    quick->problem = code == SQLITE_INTERRUPT ? "stopped: it took too long"
                     : code == SQLITE_NOMEM   ? "out of memory: too much is asked for at once"
                     : code == SQLITE_BUSY    ? "the database is being changed: try again"
                                              : "the database cannot be read: it may be damaged";
}

bool quick_goes_on(struct quick *quick)
{
    if (quick->problem == NULL && watch(quick)) {
        quick->problem = "stopped: it took too long";
        quick->passes = true;
    }
    return quick->problem == NULL;
}

sqlite3_stmt *quick_prepare(struct quick *quick, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(quick->database, sql, -1, &statement, NULL) != SQLITE_OK)
        quick_note(quick);
    return statement;
}

bool quick_row(struct quick *quick, sqlite3_stmt *statement)
{
    int result = statement != NULL ? sqlite3_step(statement) : SQLITE_DONE;
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        quick_note(quick);
    return result == SQLITE_ROW;
}

void quick_rows(struct quick *quick, const char *key, sqlite3_stmt *statement)
{
    struct json *json = &quick->answer.json;
    json_key(json, key);
    json_open(json, '[');
    while (quick_row(quick, statement)) {
        json_open(json, '{');
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            json_key(json, sqlite3_column_name(statement, i));
            json_column(json, statement, i, TEXT_BYTES_MAX);
        }
        json_close(json, '}');
    }
    json_close(json, ']');
    sqlite3_finalize(statement);
}
#else
extern const int quick_is_not_built_in; /* ISO C forbids an empty file */
#endif
