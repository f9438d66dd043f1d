/* What a ClickHouse server is asked and answers: see store_clickhouse_parts.h. */
#include "cli/fleet/store_clickhouse_parts.h"

#include "cli/clickhouse/tab_separated.h"
#include "cli/out/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN_TABLE = 60, UNKNOWN_DATABASE = 81 };

int clickhouse_ask(struct store *store, const struct http_request *request)
{
    struct error error;
    int code;
    if (http_send(store->connection, request, &code, &error) == 0)
        return 0;
    if (code == UNKNOWN_TABLE || code == UNKNOWN_DATABASE)
        return fail(
            "%s: has no runs, or not all of their tables: `fisql push %s run.db` makes them",
            store->url, store->url);
    return fail("%s", error.text);
}

int clickhouse_tell(struct store *store, const char *sql, bool without_database)
{
    const struct http_request request = {.query = sql, .without_database = without_database};
    return clickhouse_ask(store, &request);
}

int clickhouse_local_problem(const struct store *store)
{
    return fail("%s: %s", store->url, sqlite3_errmsg(store->local));
}

/* ---- answers ---- */

/* An answer becomes rows of a table of `local`. */
struct receiver {
    struct store *store;
    const char *table;
    bool makes; /* the table, by the answer's names and types; else it is there */
    char *names[64];
    bool text[64];
    size_t count;
    sqlite3_stmt *insert;
};

static int keep_names(struct receiver *receiver, const struct tab_value *values, size_t count,
                      struct error *error)
{
    if (count > sizeof receiver->names / sizeof receiver->names[0])
        return error_set(error, "the answer has too many columns");
    for (; receiver->count < count; receiver->count++)
        if ((receiver->names[receiver->count] = strdup(values[receiver->count].text)) == NULL)
            return error_set(error, "out of memory");
    return 0;
}

static int prepare_receiver(struct receiver *receiver, struct error *error)
{
    char *create = NULL, *insert = NULL;
    size_t size;
    sqlite3 *local = receiver->store->local;
    FILE *made = open_memstream(&create, &size), *put = open_memstream(&insert, &size);
    if (made == NULL || put == NULL)
        return error_set(error, "out of memory");
    fprintf(made, "CREATE TEMP TABLE \"%s\"(", receiver->table);
    fprintf(put, "INSERT OR IGNORE INTO \"%s\"(", receiver->table);
    for (size_t i = 0; i < receiver->count; i++) {
        fprintf(made, "%s\"%s\" %s", i > 0 ? ", " : "", receiver->names[i],
                receiver->text[i] ? "TEXT" : "INTEGER");
        fprintf(put, "%s\"%s\"", i > 0 ? ", " : "", receiver->names[i]);
    }
    fputs(")", made);
    fputs(") VALUES (", put);
    for (size_t i = 0; i < receiver->count; i++)
        fputs(i > 0 ? ", ?" : "?", put);
    fputs(")", put);
    bool written = fclose(made) == 0;
    written = fclose(put) == 0 && written;
    int result = written ? SQLITE_OK : SQLITE_NOMEM;
    if (result == SQLITE_OK && receiver->makes)
        result = sqlite3_exec(local, create, NULL, NULL, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_prepare_v2(local, insert, -1, &receiver->insert, NULL);
    free(create);
    free(insert);
    return result == SQLITE_OK
               ? 0
               : error_set(error, "the answer cannot be kept: %s", sqlite3_errmsg(local));
}

static int take_line(void *context, size_t line, const struct tab_value *values, size_t count,
                     struct error *error)
{
    struct receiver *receiver = context;
    if (line == 0)
        return keep_names(receiver, values, count, error);
    if (count != receiver->count)
        return error_set_kind(error, ERROR_DAMAGE, "%s: its answer cannot be read",
                              receiver->store->url);
    if (line == 1) {
        for (size_t i = 0; i < count; i++)
            receiver->text[i] = strstr(values[i].text, "Int") == NULL;
        return prepare_receiver(receiver, error);
    }
    for (size_t i = 0; i < count; i++) {
        int column = (int)i + 1;
        if (values[i].null)
            sqlite3_bind_null(receiver->insert, column);
        else if (receiver->text[i])
            sqlite3_bind_text64(receiver->insert, column, values[i].text, values[i].size_bytes,
                                SQLITE_STATIC, SQLITE_UTF8);
        else
            sqlite3_bind_int64(receiver->insert, column, strtoll(values[i].text, NULL, 10));
    }
    int result = sqlite3_step(receiver->insert);
    sqlite3_reset(receiver->insert);
    return result == SQLITE_DONE ? 0
                                 : error_set(error, "the answer cannot be kept: %s",
                                             sqlite3_errmsg(receiver->store->local));
}

static int take_bytes(void *context, const char *bytes, size_t size_bytes, struct error *error)
{
    return tab_separated_read(context, bytes, size_bytes, error);
}

/* Asks, and puts the answer into a table of `local`; makes it, if it is not there. */
int clickhouse_receive(struct store *store, const char *table, bool makes, const char *sql,
                       const struct http_table *tables, size_t tables_count)
{
    struct receiver receiver = {.store = store, .table = table, .makes = makes};
    struct tab_separated reader = {.take = take_line, .context = &receiver};
    char *query = sqlite3_mprintf("%s FORMAT TabSeparatedWithNamesAndTypes", sql);
    const struct http_request request = {.query = query,
                                         .tables = tables,
                                         .tables_count = tables_count,
                                         .take = take_bytes,
                                         .context = &reader};
    int status = query != NULL ? clickhouse_ask(store, &request) : fail("out of memory");
    if (status == 0 && !tab_separated_whole(&reader))
        status = fail("%s: its answer is not whole: ask again", store->url);
    for (size_t i = 0; i < receiver.count; i++)
        free(receiver.names[i]);
    sqlite3_finalize(receiver.insert);
    tab_separated_release(&reader);
    sqlite3_free(query);
    return status;
}

/* A temporary table as it is sent along: its columns of integers and of text. */
int clickhouse_pack(struct store *store, const char *name, struct row_binary *rows,
                    char **structure)
{
    sqlite3_stmt *select = NULL;
    char *sql = sqlite3_mprintf("SELECT * FROM temp.\"%w\"", name);
    size_t size = 0;
    FILE *out = open_memstream(structure, &size);
    int result =
        sql != NULL ? sqlite3_prepare_v2(store->local, sql, -1, &select, NULL) : SQLITE_NOMEM;
    int step = result == SQLITE_OK ? sqlite3_step(select) : SQLITE_ERROR, failed = 0;
    bool text[64] = {false};
    int count = sqlite3_column_count(select);
    for (int i = 0; i < count && i < 64 && out != NULL; i++) {
        text[i] = step == SQLITE_ROW && sqlite3_column_type(select, i) == SQLITE_TEXT;
        fprintf(out, "%s%s %s", i > 0 ? ", " : "", sqlite3_column_name(select, i),
                text[i] ? "String" : "Int64");
    }
    for (; step == SQLITE_ROW && failed == 0; step = sqlite3_step(select))
        for (int i = 0; i < count && i < 64; i++)
            failed |= text[i] ? row_binary_string(rows, sqlite3_column_blob(select, i),
                                                  (size_t)sqlite3_column_bytes(select, i))
                              : row_binary_int64(rows, sqlite3_column_int64(select, i));
    sqlite3_finalize(select);
    sqlite3_free(sql);
    if (out == NULL || fclose(out) != 0 || failed != 0)
        return fail("out of memory for the table %s", name);
    return step == SQLITE_DONE ? 0 : clickhouse_local_problem(store);
}

/* Asks with a temporary table sent along. */
int clickhouse_receive_with(struct store *store, const char *table, const char *sql,
                            const char *sent)
{
    struct row_binary rows = {0};
    char *structure = NULL;
    int status = clickhouse_pack(store, sent, &rows, &structure);
    const struct http_table along = {sent, structure, rows.bytes, rows.size_bytes};
    if (status == 0)
        status = clickhouse_receive(store, table, false, sql, &along, 1);
    row_binary_release(&rows);
    free(structure);
    return status;
}
