/*
 * Many runs on a ClickHouse server (schema_clickhouse.sql). `local` is an SQLite database in memory with the
 * tables of schema_fleet.sql, of which `runs` and `labels` are filled from the server's.
 *
 * A push takes a random run_id for its rows and writes the row of runs last; nothing is read of a run_id
 * that has none. What a query gathers is restricted to chosen runs, which are sent along as a table.
 */
#include "cli/fleet/store.h"

#include "cli/clickhouse/http.h"
#include "cli/clickhouse/row_binary.h"
#include "cli/clickhouse/tab_separated.h"
#include "cli/fleet/functions.h"
#include "cli/out/say.h"
#include "cli/run/run_view.h"
#include "queries/embedded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* Rows go out in pieces of so many bytes, before they are packed; at most a million rows, for the server
 * then takes them as one block. */
enum { PIECE_BYTES = 16 << 20, PIECE_ROWS = 500000, UNKNOWN_TABLE = 60, UNKNOWN_DATABASE = 81 };

static const char cluster_settings[] = "insert_distributed_sync=1";

static int ask(struct store *store, const struct http_request *request)
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

static int tell(struct store *store, const char *sql, bool without_database)
{
    const struct http_request request = {.query = sql, .without_database = without_database};
    return ask(store, &request);
}

static int local_problem(const struct store *store)
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
static int receive(struct store *store, const char *table, bool makes, const char *sql,
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
    int status = query != NULL ? ask(store, &request) : fail("out of memory");
    if (status == 0 && !tab_separated_whole(&reader))
        status = fail("%s: its answer is not whole: ask again", store->url);
    for (size_t i = 0; i < receiver.count; i++)
        free(receiver.names[i]);
    sqlite3_finalize(receiver.insert);
    tab_separated_release(&reader);
    sqlite3_free(query);
    return status;
}

/* ---- tables ---- */

static bool is_name(const char *text)
{
    return *text != '\0' && strlen(text) < 64 &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
               strlen(text);
}

static const char create_mark[] = "CREATE TABLE IF NOT EXISTS ";

/* A statement of schema_clickhouse.sql, and over a cluster the Distributed table: all rows of a run go to
 * one shard. */
static int make_table(struct store *store, const char *statement, size_t length)
{
    char name[64];
    const char *rest = statement + strlen(create_mark);
    if (sscanf(rest, "%63[a-z_]", name) != 1)
        return fail("schema_clickhouse.sql cannot be read");
    rest += strlen(name);
    char *sql =
        sqlite3_mprintf("%s%s%s%.*s", create_mark, name, store->cluster != NULL ? "_local" : "",
                        (int)(length - (size_t)(rest - statement)), rest);
    int status = sql != NULL ? tell(store, sql, false) : fail("out of memory");
    sqlite3_free(sql);
    if (status != 0 || store->cluster == NULL)
        return status;
    sql = sqlite3_mprintf(
        "%s%s AS %s_local ENGINE = Distributed(%s, %s, %s_local, %s)", create_mark, name, name,
        store->cluster, http_database(store->connection), name,
        strcmp(name, "fleet_version") == 0 ? "version"
        : store_is_common(name)
            ? strcmp(name, "names") == 0 ? "cityHash64(function_id)" : "cityHash64(context_id)"
            : "cityHash64(run_id)");
    status = sql != NULL ? tell(store, sql, false) : fail("out of memory");
    sqlite3_free(sql);
    return status;
}

static int make_tables(struct store *store)
{
    char sql[128];
    if (store->cluster != NULL && !is_name(store->cluster))
        return fail("--cluster %s: wants the name of a cluster of the server's configuration",
                    store->cluster);
    snprintf(sql, sizeof sql, "CREATE DATABASE IF NOT EXISTS %s", http_database(store->connection));
    int status = tell(store, sql, true);
    const char *at = embedded_clickhouse_schema;
    while (status == 0 && (at = strstr(at, create_mark)) != NULL) {
        const char *end = strstr(at, ";\n");
        size_t length = end != NULL ? (size_t)(end - at) : strlen(at);
        status = make_table(store, at, length);
        at += length;
    }
    return status;
}

/* The version of the tables; 0 where they are new. */
static int read_version(struct store *store, int64_t *version)
{
    int status = receive(store, "versions", true,
                         "SELECT max(version) AS newest FROM fleet_version", NULL, 0);
    if (status == 0)
        *version = run_integer(store->local, "SELECT newest FROM temp.versions", 0);
    sqlite3_exec(store->local, "DROP TABLE IF EXISTS temp.versions", NULL, NULL, NULL);
    return status;
}

static int check_version(struct store *store, bool writes)
{
    int64_t version = 0;
    int status = read_version(store, &version);
    if (status == 0 && version == 0 && writes) {
        char sql[80];
        snprintf(sql, sizeof sql, "INSERT INTO fleet_version (version) VALUES (%d)", STORE_VERSION);
        const struct http_request request = {
            .query = sql, .settings = store->cluster != NULL ? cluster_settings : NULL};
        return ask(store, &request);
    }
    if (status == 0 && version != STORE_VERSION)
        return fail("%s: has version %lld of its tables, this fisql knows version %d: %s",
                    store->url, (long long)version, STORE_VERSION,
                    version > STORE_VERSION ? "use a newer fisql"
                                            : "push the runs to another database");
    return status;
}

/* ---- opening ---- */

/* Of several pushes of a run the first counts. */
static int read_runs(struct store *store)
{
    if (sqlite3_exec(store->local, "DELETE FROM runs; DELETE FROM labels", NULL, NULL, NULL) !=
        SQLITE_OK)
        return local_problem(store);
    int status = receive(
        store, "runs", false,
        "SELECT run_id, run, pushed, recorded, program, host, build, command, functions, called,"
        " contexts, calls, self_cpu_ns, allocs, alloc_bytes, not_freed_blocks, not_freed_bytes,"
        " losses, has_calls, parts, database_bytes FROM runs ORDER BY pushed, run_id",
        NULL, 0);
    if (status == 0)
        status = receive(store, "labels", false, "SELECT run_id, key, value FROM labels", NULL, 0);
    if (status == 0 &&
        sqlite3_exec(store->local,
                     "DELETE FROM labels WHERE run_id NOT IN (SELECT run_id FROM runs)", NULL, NULL,
                     NULL) != SQLITE_OK)
        return local_problem(store);
    return status;
}

static int connect_clickhouse(struct store *store)
{
    struct error error;
    store->connection = http_open(store->url, &error);
    if (store->connection == NULL)
        return fail("%s", error.text);
    /* "" is a temporary file: it is in memory as far as there is room. */
    return sqlite3_open("", &store->local) == SQLITE_OK &&
                   sqlite3_exec(store->local, embedded_fleet_schema, NULL, NULL, NULL) ==
                       SQLITE_OK &&
                   sqlite3_exec(store->local, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF",
                                NULL, NULL, NULL) == SQLITE_OK &&
                   fleet_functions_add(store->local) == SQLITE_OK
               ? 0
               : local_problem(store);
}

static int open_clickhouse(struct store *store, bool writes)
{
    int status = connect_clickhouse(store);
    if (status == 0 && writes)
        status = make_tables(store);
    if (status == 0)
        status = check_version(store, writes);
    return status == 0 ? read_runs(store) : status;
}

static int make_clickhouse(struct store *store)
{
    int status = connect_clickhouse(store);
    return status == 0 ? make_tables(store) : status;
}

static void close_clickhouse(struct store *store)
{
    http_close(store->connection);
    sqlite3_close(store->local);
}

/* ---- pushing ---- */

static int begin_clickhouse(struct store *store)
{
    if (getrandom(&store->run_id, sizeof store->run_id, 0) != (ssize_t)sizeof store->run_id)
        return fail("no random number: %s", strerror(errno));
    store->run_id = store->run_id & INT64_MAX;
    store->run_id += store->run_id == 0;
    return read_runs(store); /* another host may have pushed it meanwhile */
}

/* Rows on their way. */
struct sender {
    struct store *store;
    char *query;
    struct row_binary rows;
    size_t count;
};

static int send_rows(struct sender *sender)
{
    const struct http_request request = {
        .query = sender->query,
        .settings = cluster_settings,
        .body = sender->rows.bytes,
        .body_bytes = sender->rows.size_bytes,
    };
    int status = sender->count > 0 ? ask(sender->store, &request) : 0;
    sender->rows.size_bytes = 0;
    sender->count = 0;
    return status;
}

/* INSERT INTO table (columns) FORMAT RowBinary; *text tells which columns are text. */
static char *insert_query(struct store *store, const char *table, sqlite3_stmt *rows, bool *text)
{
    char *sql = NULL;
    size_t size = 0;
    sqlite3_stmt *type = NULL;
    FILE *out = open_memstream(&sql, &size);
    if (out == NULL)
        return NULL;
    int result = sqlite3_prepare_v2(
        store->local, "SELECT type <> 'INTEGER' FROM pragma_table_info(?1) WHERE name = ?2", -1,
        &type, NULL);
    fprintf(out, "INSERT INTO %s (", table);
    for (int i = 0; i < sqlite3_column_count(rows) && result == SQLITE_OK; i++) {
        const char *name = sqlite3_column_name(rows, i);
        sqlite3_bind_text(type, 1, table, -1, SQLITE_STATIC);
        sqlite3_bind_text(type, 2, name, -1, SQLITE_STATIC);
        text[i] = sqlite3_step(type) == SQLITE_ROW && sqlite3_column_int(type, 0) != 0;
        sqlite3_reset(type);
        fprintf(out, "%s%s", i > 0 ? ", " : "", name);
    }
    sqlite3_finalize(type);
    fprintf(out, "%s) FORMAT RowBinary", store_is_common(table) ? "" : ", run_id");
    return fclose(out) == 0 ? sql : NULL;
}

static int put_row(struct sender *sender, sqlite3_stmt *rows, const bool *text, bool common)
{
    int failed = 0;
    for (int i = 0; i < sqlite3_column_count(rows); i++) {
        if (text[i]) {
            const void *bytes = sqlite3_column_blob(rows, i);
            failed |=
                row_binary_string(&sender->rows, bytes, (size_t)sqlite3_column_bytes(rows, i));
        } else {
            failed |= row_binary_int64(&sender->rows, sqlite3_column_int64(rows, i));
        }
    }
    if (!common)
        failed |= row_binary_int64(&sender->rows, sender->store->run_id);
    sender->count++;
    if (failed != 0)
        return fail("out of memory for rows");
    return sender->rows.size_bytes >= PIECE_BYTES || sender->count >= PIECE_ROWS ? send_rows(sender)
                                                                                 : 0;
}

static int rows_clickhouse(struct store *store, const char *table, sqlite3_stmt *rows)
{
    bool text[64] = {false};
    struct sender sender = {.store = store, .query = insert_query(store, table, rows, text)};
    int status = sender.query != NULL ? 0 : fail("out of memory");
    while (status == 0 && sqlite3_step(rows) == SQLITE_ROW)
        status = put_row(&sender, rows, text, store_is_common(table));
    if (sqlite3_reset(rows) != SQLITE_OK && status == 0)
        status = fail("%s: its %s cannot be read: %s",
                      sqlite3_db_filename(sqlite3_db_handle(rows), "main"), table,
                      sqlite3_errmsg(sqlite3_db_handle(rows)));
    if (status == 0)
        status = send_rows(&sender);
    row_binary_release(&sender.rows);
    free(sender.query);
    return status;
}

static int part_clickhouse(struct store *store, int64_t number, const void *bytes,
                           size_t size_bytes)
{
    char query[] = "INSERT INTO parts (run_id, number, bytes) FORMAT RowBinary";
    struct sender sender = {.store = store, .query = query, .count = 1};
    int status = row_binary_int64(&sender.rows, store->run_id) != 0 ||
                         row_binary_int64(&sender.rows, number) != 0 ||
                         row_binary_string(&sender.rows, bytes, size_bytes) != 0
                     ? fail("out of memory for a part of the run")
                     : send_rows(&sender);
    row_binary_release(&sender.rows);
    return status;
}

/* The row of runs is there: that was all. */
static int commit_clickhouse(struct store *store)
{
    return read_runs(store);
}

static void abandon_clickhouse(struct store *store)
{
    (void)store; /* rows without a row in runs are read by nobody */
}

/* ---- asking ---- */

/* A temporary table as it is sent along: its columns of integers and of text. */
static int pack_table(struct store *store, const char *name, struct row_binary *rows,
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
    return step == SQLITE_DONE ? 0 : local_problem(store);
}

static int gather_clickhouse(struct store *store, const char *name, const char *sql,
                             const char *uses)
{
    enum { TABLES_MAX = 8 };
    struct http_table tables[TABLES_MAX];
    struct row_binary rows[TABLES_MAX] = {{0}};
    char names[TABLES_MAX][64], *structures[TABLES_MAX] = {NULL};
    size_t count = 0;
    int status = 0, used = 0;
    for (const char *at = uses;
         status == 0 && count < TABLES_MAX && sscanf(at, "%63s%n", names[count], &used) == 1;
         at += used, count++) {
        status = pack_table(store, names[count], &rows[count], &structures[count]);
        tables[count] =
            (struct http_table){names[count], structures[count],
                                rows[count].bytes != NULL ? (const char *)rows[count].bytes : "",
                                rows[count].size_bytes};
    }
    if (status == 0)
        status = receive(store, name, true, sql, tables, count);
    for (size_t i = 0; i < TABLES_MAX; i++) {
        row_binary_release(&rows[i]);
        free(structures[i]);
    }
    return status;
}

static int read_part_clickhouse(struct store *store, int64_t run_id, int64_t number, void **bytes,
                                size_t *size_bytes)
{
    char sql[160];
    sqlite3_stmt *row = NULL;
    snprintf(sql, sizeof sql,
             "SELECT bytes FROM parts WHERE run_id = %lld AND number = %lld LIMIT 1",
             (long long)run_id, (long long)number);
    int status = receive(store, "part", true, sql, NULL, 0);
    *bytes = NULL;
    if (status == 0 && sqlite3_prepare_v2(store->local, "SELECT bytes FROM temp.part", -1, &row,
                                          NULL) != SQLITE_OK)
        status = local_problem(store);
    if (status == 0 && sqlite3_step(row) != SQLITE_ROW)
        status = fail("%s: part %lld of the run is not there: it was dropped", store->url,
                      (long long)number);
    if (status == 0) {
        *size_bytes = (size_t)sqlite3_column_bytes(row, 0);
        *bytes = malloc(*size_bytes + 1);
        status = *bytes != NULL ? 0 : fail("out of memory for a part of the run");
    }
    if (status == 0 && *size_bytes > 0)
        memcpy(*bytes, sqlite3_column_blob(row, 0), *size_bytes);
    sqlite3_finalize(row);
    sqlite3_exec(store->local, "DROP TABLE IF EXISTS temp.part", NULL, NULL, NULL);
    return status;
}

const struct store_engine store_clickhouse = {.open = open_clickhouse,
                                              .make = make_clickhouse,
                                              .begin = begin_clickhouse,
                                              .rows = rows_clickhouse,
                                              .part = part_clickhouse,
                                              .commit = commit_clickhouse,
                                              .abandon = abandon_clickhouse,
                                              .gather = gather_clickhouse,
                                              .read_part = read_part_clickhouse,
                                              .close = close_clickhouse};
