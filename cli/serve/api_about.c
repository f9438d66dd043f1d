/* What is served, and what the databases are made of: databases, queries, schema, functions. */
#if __has_include(<microhttpd.h>)
#include "cli/serve/api.h"

#include <stdlib.h>
#include <string.h>

/* api_about.sql */
extern const char api_about_sql_about[], api_about_sql_schema[], api_about_sql_functions[];

/* One database, as an object. */
static void write_database(struct request *request, struct json *json, int number)
{
    struct base *base = request->base = &request->server->bases[number];
    const char *problem;
    json_open(json, '{');
    json_key(json, "db");
    json_integer(json, number);
    json_key(json, "name");
    json_text(json, base->name, SIZE_MAX);
    json_key(json, "path");
    json_text(json, base->path, SIZE_MAX);
    json_key(json, "version");
    json_integer(json, base_version(base));
    json_key(json, "live");
    json_integer(json, base_is_live(base));
    sqlite3 *database = base_take(base, &problem);
    sqlite3_stmt *row = NULL;
    if (database != NULL &&
        sqlite3_prepare_v2(database, api_about_sql_about, -1, &row, NULL) == SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(row); i++) {
            json_key(json, sqlite3_column_name(row, i));
            json_column(json, row, i, 4096);
        }
    else if (problem == NULL)
        problem = "the database cannot be read: it may be damaged";
    json_key(json, "problem");
    json_text(json, problem, SIZE_MAX);
    json_close(json, '}');
    if (sqlite3_finalize(row) == SQLITE_NOMEM)
        problem = "out of memory";
    if (database != NULL)
        base_give(base, database);
}

enum MHD_Result api_databases(struct request *request)
{
    struct answer answer;
    if (!answer_begin(&answer))
        return MHD_NO;
    json_open(&answer.json, '[');
    for (int i = 0; i < request->server->bases_count; i++)
        write_database(request, &answer.json, i);
    json_close(&answer.json, ']');
    return answer_end(&answer, request, NULL);
}

/* ---- queries ---- */

static void write_text(struct json *json, const char *key, const char *text)
{
    json_key(json, key);
    json_text(json, text, SIZE_MAX);
}

static void write_parts(struct json *json, const char *key, const struct query_part *parts,
                        size_t count)
{
    json_key(json, key);
    json_open(json, '[');
    for (size_t i = 0; i < count; i++) {
        json_open(json, '{');
        write_text(json, "name", parts[i].name);
        write_text(json, "value", parts[i].value);
        write_text(json, "unit", parts[i].unit);
        write_text(json, "text", parts[i].text);
        json_close(json, '}');
    }
    json_close(json, ']');
}

enum MHD_Result api_queries(struct request *request)
{
    const struct query_set *set = &request->server->queries;
    struct answer answer;
    if (!answer_begin(&answer))
        return MHD_NO;
    struct json *json = &answer.json;
    json_open(json, '[');
    for (size_t i = 0; i < set->count; i++) {
        const struct query_file *query = &set->queries[i];
        json_open(json, '{');
        write_text(json, "name", query->name);
        write_text(json, "title", query->title);
        write_text(json, "question", query->question);
        write_text(json, "group", query->group);
        write_text(json, "description", query->description);
        write_text(json, "advice", query->advice);
        write_text(json, "source", query->source);
        write_text(json, "needs", query->needs);
        write_parts(json, "params", query->params, query->params_count);
        write_parts(json, "columns", query->columns, query->columns_count);
        write_text(json, "sql", query->sql);
        json_close(json, '}');
    }
    json_close(json, ']');
    return answer_end(&answer, request, NULL);
}

/* ---- schema, functions ---- */

/* The columns of a table or view. A view that SQLite cannot make sense of has none. table_xinfo only
 * resolves a view's names: to prepare a SELECT of it takes three times as long. */
static void write_columns(struct quick *quick, const char *table)
{
    struct json *json = &quick->answer.json;
    sqlite3_stmt *column = NULL;
    char *sql = sqlite3_mprintf("PRAGMA main.table_xinfo(\"%w\")", table);
    int result = SQLITE_NOMEM;
    if (sql != NULL)
        result = sqlite3_prepare_v2(quick->database, sql, -1, &column, NULL);
    sqlite3_free(sql);
    if (result == SQLITE_NOMEM || result == SQLITE_INTERRUPT)
        quick_note(quick);
    json_key(json, "columns");
    json_open(json, '[');
    while (quick_row(quick, column)) {
        const char *type = (const char *)sqlite3_column_text(column, 2);
        json_open(json, '{');
        write_text(json, "name", (const char *)sqlite3_column_text(column, 1));
        write_text(json, "type", type != NULL && type[0] != '\0' ? type : NULL);
        json_close(json, '}');
    }
    json_close(json, ']');
    sqlite3_finalize(column);
}

static void write_table(struct quick *quick, sqlite3_stmt *table)
{
    struct json *json = &quick->answer.json;
    json_open(json, '{');
    for (int i = 0; i < sqlite3_column_count(table); i++) {
        json_key(json, sqlite3_column_name(table, i));
        json_column(json, table, i, SIZE_MAX);
    }
    write_columns(quick, (const char *)sqlite3_column_text(table, 0));
    json_close(json, '}');
}

static void write_schema(struct quick *quick)
{
    sqlite3_stmt *tables = quick_prepare(quick, api_about_sql_schema);
    json_open(&quick->answer.json, '[');
    while (quick_row(quick, tables))
        write_table(quick, tables);
    json_close(&quick->answer.json, ']');
    sqlite3_finalize(tables);
}

/* Keeps a copy of the answer for the next who asks. Without memory, that one makes it again. */
static void keep_schema(struct base *base, const struct answer *answer, int64_t version)
{
    free(base->schema.text);
    base->schema.text = NULL;
    if (fflush(answer->json.out) != 0 || (base->schema.text = malloc(answer->length)) == NULL)
        return;
    memcpy(base->schema.text, answer->text, answer->length);
    base->schema.length = answer->length;
    base->schema.version = version;
}

/* It is the same for all who ask, costs some 30 MiB to make and is long: it is made once. */
enum MHD_Result api_schema(struct request *request)
{
    struct quick quick;
    struct base *base = request->base;
    pthread_mutex_lock(&base->schema.lock);
    int64_t version = base_version(base);
    if (base->schema.text != NULL && base->schema.version == version) {
        struct answer answer;
        bool begun = answer_begin(&answer);
        if (begun)
            fwrite(base->schema.text, 1, base->schema.length, answer.json.out);
        pthread_mutex_unlock(&base->schema.lock);
        return begun ? answer_end(&answer, request, NULL) : MHD_NO;
    }
    if (quick_begin(&quick, request)) {
        write_schema(&quick);
        if (quick.problem == NULL)
            keep_schema(base, &quick.answer, version);
    }
    pthread_mutex_unlock(&base->schema.lock);
    return quick_end(&quick);
}

enum MHD_Result api_functions(struct request *request)
{
    struct quick quick;
    int64_t limit;
    if (!request_integer(request, "limit", 1, 10000, 50, &limit))
        return reply_problem(request->connection, MHD_HTTP_BAD_REQUEST,
                             "limit: wants a number from 1 to 10000");
    if (!quick_begin(&quick, request))
        return quick_end(&quick);
    sqlite3_stmt *rows = quick_prepare(&quick, api_about_sql_functions);
    if (rows != NULL) {
        const char *match = request_text(request, "match");
        if (match != NULL)
            sqlite3_bind_text(rows, 1, match, -1, SQLITE_TRANSIENT);
        sqlite3_bind_int64(rows, 2, limit);
    }
    json_open(&quick.answer.json, '{');
    quick_rows(&quick, "functions", rows);
    json_close(&quick.answer.json, '}');
    return quick_end(&quick);
}
#else
extern const int api_about_is_not_built_in; /* ISO C forbids an empty file */
#endif
