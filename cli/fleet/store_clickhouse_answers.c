/* Queries to a ClickHouse server and its answers: see store_clickhouse_parts.h. */
#include "cli/fleet/store_clickhouse_parts.h"

#include "cli/clickhouse/tab_separated.h"
#include "cli/out/say.h"
#include "cli/run/distrust.h"
#include "base/memory_text.h"

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

/* SQLite keeps the answers in temporary files if they do not fit into memory. */
static const char *local_words(sqlite3 *local)
{
    return sqlite3_errcode(local) == SQLITE_FULL
               ? "no room is left for temporary files: TMPDIR may name a folder with more"
               : sqlite3_errmsg(local);
}

int clickhouse_local_problem(const struct store *store)
{
    return fail("%s: %s", store->url, local_words(store->local));
}

/* ---- answers ---- */

/* Turns an answer into rows of a table of `local`. */
struct receiver {
    struct store *store;
    const struct clickhouse_expected *expected;
    sqlite3_stmt *names; /* never run: the answer must have its columns */
    bool text[TAB_COLUMNS_MAX];
    size_t count;
    sqlite3_stmt *insert;
};

static const char *name_of(const struct receiver *receiver, size_t column)
{
    return sqlite3_column_name(receiver->names, (int)column);
}

/* Checks the names, which become SQL: we accept only the query's own, whatever the server
 * answers. */
static int check_names(struct receiver *receiver, const struct tab_value *values, size_t count,
                       struct error *error)
{
    bool same = count == receiver->count;
    for (size_t i = 0; i < count && same; i++)
        same = strcmp(values[i].text, name_of(receiver, i)) == 0 &&
               strlen(values[i].text) == values[i].size_bytes;
    return same ? 0
                : error_set_kind(error, ERROR_DAMAGE,
                                 "%s: its answer has other columns than were asked for: is it "
                                 "ClickHouse's HTTP port (8123)?",
                                 receiver->store->url);
}

/* Writes the CREATE TEMP TABLE, and the INSERT of a row. */
static void write_statements(const struct receiver *receiver, sqlite3_str *create,
                             sqlite3_str *insert)
{
    sqlite3_str_appendf(create, "CREATE TEMP TABLE \"%w\"(", receiver->expected->table);
    sqlite3_str_appendf(insert, "INSERT OR IGNORE INTO \"%w\"(", receiver->expected->table);
    for (size_t i = 0; i < receiver->count; i++) {
        const char *comma = i > 0 ? ", " : "";
        sqlite3_str_appendf(create, "%s\"%w\" %s", comma, name_of(receiver, i),
                            receiver->text[i] ? "TEXT" : "INTEGER");
        sqlite3_str_appendf(insert, "%s\"%w\"", comma, name_of(receiver, i));
    }
    sqlite3_str_appendall(create, ")");
    sqlite3_str_appendall(insert, ") VALUES (");
    for (size_t i = 0; i < receiver->count; i++)
        sqlite3_str_appendall(insert, i > 0 ? ", ?" : "?");
    sqlite3_str_appendall(insert, ")");
}

static int prepare_receiver(struct receiver *receiver, struct error *error)
{
    sqlite3 *local = receiver->store->local;
    sqlite3_str *creating = sqlite3_str_new(local), *inserting = sqlite3_str_new(local);
    write_statements(receiver, creating, inserting);
    char *create = sqlite3_str_finish(creating), *insert = sqlite3_str_finish(inserting);
    int result = create != NULL && insert != NULL ? SQLITE_OK : SQLITE_NOMEM;
    if (result == SQLITE_OK && receiver->expected->makes)
        result = distrust_execute(local, create);
    if (result == SQLITE_OK)
        result = sqlite3_prepare_v2(local, insert, -1, &receiver->insert, NULL);
    sqlite3_free(create);
    sqlite3_free(insert);
    return result == SQLITE_OK
               ? 0
               : error_set(error, "the answer cannot be kept: %s", sqlite3_errmsg(local));
}

static int take_line(void *context, size_t line, const struct tab_value *values, size_t count,
                     struct error *error)
{
    struct receiver *receiver = context;
    if (line == 0)
        return check_names(receiver, values, count, error);
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
                                             local_words(receiver->store->local));
}

static int take_bytes(void *context, const char *bytes, size_t size_bytes, struct error *error)
{
    return tab_separated_read(context, bytes, size_bytes, error);
}

int clickhouse_receive(struct store *store, const struct clickhouse_expected *expected,
                       const char *sql, const struct http_table *tables, size_t tables_count)
{
    struct receiver receiver = {.store = store, .expected = expected};
    struct tab_separated reader = {
        .take = take_line, .context = &receiver, .rows_max = expected->rows_max};
    if (sqlite3_prepare_v2(store->local, expected->names_sql, -1, &receiver.names, NULL) !=
        SQLITE_OK)
        return clickhouse_local_problem(store);
    receiver.count = (size_t)sqlite3_column_count(receiver.names);
    char *query = sqlite3_mprintf("%s FORMAT TabSeparatedWithNamesAndTypes", sql);
    const struct http_request request = {.query = query,
                                         .tables = tables,
                                         .tables_count = tables_count,
                                         .take = take_bytes,
                                         .context = &reader};
    int status = query != NULL ? clickhouse_ask(store, &request) : fail("out of memory");
    if (status == 0 && !tab_separated_whole(&reader))
        status = fail("%s: its answer is not whole: ask again", store->url);
    sqlite3_finalize(receiver.names);
    sqlite3_finalize(receiver.insert);
    tab_separated_release(&reader);
    sqlite3_free(query);
    return status;
}

int clickhouse_pack(struct store *store, const char *name, struct row_binary *rows,
                    char **structure)
{
    sqlite3_stmt *select = NULL;
    char *sql = sqlite3_mprintf("SELECT * FROM temp.\"%w\"", name);
    size_t size = 0;
    FILE *out = memory_text_open(structure, &size);
    int result =
        sql != NULL ? sqlite3_prepare_v2(store->local, sql, -1, &select, NULL) : SQLITE_NOMEM;
    int step = result == SQLITE_OK ? sqlite3_step(select) : SQLITE_ERROR, failed = 0;
    bool text[TAB_COLUMNS_MAX] = {false};
    int count = sqlite3_column_count(select);
    for (int i = 0; i < count && i < TAB_COLUMNS_MAX && out != NULL; i++) {
        text[i] = step == SQLITE_ROW && sqlite3_column_type(select, i) == SQLITE_TEXT;
        fprintf(out, "%s%s %s", i > 0 ? ", " : "", sqlite3_column_name(select, i),
                text[i] ? "String" : "Int64");
    }
    for (; step == SQLITE_ROW && failed == 0; step = sqlite3_step(select))
        for (int i = 0; i < count && i < TAB_COLUMNS_MAX; i++)
            failed |= text[i] ? row_binary_string(rows, sqlite3_column_blob(select, i),
                                                  (size_t)sqlite3_column_bytes(select, i))
                              : row_binary_int64(rows, sqlite3_column_int64(select, i));
    sqlite3_finalize(select);
    sqlite3_free(sql);
    if (out == NULL || fclose(out) != 0 || failed != 0)
        return fail("out of memory for the table %s", name);
    return step == SQLITE_DONE ? 0 : clickhouse_local_problem(store);
}

int clickhouse_receive_with(struct store *store, const struct clickhouse_expected *expected,
                            const char *sql, const char *sent)
{
    struct row_binary rows = {0};
    char *structure = NULL;
    int status = clickhouse_pack(store, sent, &rows, &structure);
    const struct http_table along = {sent, structure, rows.bytes, rows.size_bytes};
    if (status == 0)
        status = clickhouse_receive(store, expected, sql, &along, 1);
    row_binary_release(&rows);
    free(structure);
    return status;
}
