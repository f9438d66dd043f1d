/*
 * Many runs on a ClickHouse server (cli/fleet/schema_clickhouse.sql). `local` is a temporary SQLite
 * database with the tables of cli/fleet/schema_fleet.sql. We fill its `runs` and `labels` from the
 * server.
 *
 * A push chooses a random run_id for its rows and writes the row of runs last; we read no rows of a
 * run_id without that row. We restrict each query to the chosen runs and send these along as a
 * table.
 */
#include "cli/fleet/store.h"

#include "base/shortage.h"
#include "base/memory_text.h"
#include "cli/fleet/functions.h"
#include "cli/fleet/store_clickhouse_parts.h"
#include "cli/out/say.h"
#include "cli/run/database.h"
#include "cli/run/distrust.h"
#include "cli/run/run_view.h"
#include "queries/embedded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* We send rows in pieces of this size before packing, and of at most a million rows: the server
 * then takes a piece as one block. */
enum { PIECE_BYTES = 16 << 20, PIECE_ROWS = 500000 };

static const char cluster_settings[] = "insert_distributed_sync=1";

/* ---- tables ---- */

static bool is_name(const char *text)
{
    return *text != '\0' && strlen(text) < 64 &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
               strlen(text);
}

static const char create_mark[] = "CREATE TABLE IF NOT EXISTS ";

static const char *sharded_by(const char *table)
{
    static const char *const others[][2] = {{"fleet_version", "version"},
                                            {"names", "cityHash64(function_id)"},
                                            {"function_sums", "cityHash64(function_id)"},
                                            {"stacks", "cityHash64(context_id)"},
                                            {"context_sums", "cityHash64(context_id)"},
                                            {"batches", "cityHash64(batch_id)"}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(others[i][0], table) == 0)
            return others[i][1];
    return "cityHash64(run_id)";
}

/* Runs a statement of cli/fleet/schema_clickhouse.sql; for a cluster also makes the Distributed
 * table, which puts all rows of a run on one shard. */
static int make_table(struct store *store, const char *statement, size_t length)
{
    char name[64];
    const char *rest = statement + strlen(create_mark);
    if (sscanf(rest, "%63[a-z_]", name) != 1)
        return fail("cli/fleet/schema_clickhouse.sql cannot be read");
    rest += strlen(name);
    char *sql =
        sqlite3_mprintf("%s%s%s%.*s", create_mark, name, store->cluster != NULL ? "_local" : "",
                        (int)(length - (size_t)(rest - statement)), rest);
    int status = sql != NULL ? clickhouse_tell(store, sql, false) : fail("out of memory");
    sqlite3_free(sql);
    if (status != 0 || store->cluster == NULL)
        return status;
    sql = sqlite3_mprintf("%s%s AS %s_local ENGINE = Distributed(%s, %s, %s_local, %s)",
                          create_mark, name, name, store->cluster, http_database(store->connection),
                          name, sharded_by(name));
    status = sql != NULL ? clickhouse_tell(store, sql, false) : fail("out of memory");
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
    int status = clickhouse_tell(store, sql, true);
    const char *at = embedded_clickhouse_schema;
    while (status == 0 && (at = strstr(at, create_mark)) != NULL) {
        const char *end = strstr(at, ";\n");
        size_t length = end != NULL ? (size_t)(end - at) : strlen(at);
        status = make_table(store, at, length);
        at += length;
    }
    return status;
}

/* Reads the version of the tables; 0 = they are new. */
static int read_version(struct store *store, int64_t *version)
{
    const struct clickhouse_expected expected = {
        .table = "versions", .makes = true, .names_sql = "SELECT 0 AS newest", .rows_max = 1};
    int status = clickhouse_receive(store, &expected,
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
        return clickhouse_ask(store, &request);
    }
    if (status == 0 && version == 0)
        return fail("%s: has no runs: `fisql push %s run.db` adds one", store->url, store->url);
    if (status == 0 && version != STORE_VERSION)
        return fail("%s: has version %lld of its tables, this fisql knows version %d: %s",
                    store->url, (long long)version, STORE_VERSION,
                    version > STORE_VERSION ? "use a newer fisql"
                                            : "push the runs to another database");
    return status;
}

/* ---- what is there ---- */

static int execute_local(struct store *store, const char *sql)
{
    return sqlite3_exec(store->local, sql, NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : clickhouse_local_problem(store);
}

#define RUNS_COLUMNS                                                                               \
    "run_id, run, pushed, recorded, program, host, build, command, functions, called, contexts,"   \
    " calls, self_cpu_ns, allocs, alloc_bytes, not_freed_blocks, not_freed_bytes, losses,"         \
    " has_calls, parts, database_bytes"

#define LABELS_COLUMNS "run_id, key, value"
#define BATCHES_COLUMNS "batch_id, run_id, runs"

/* The first of several pushes of a run counts. */
static const char runs_sql[] = "SELECT " RUNS_COLUMNS " FROM runs ORDER BY pushed, run_id",
                  one_run_sql[] =
                      "SELECT " RUNS_COLUMNS
                      " FROM runs WHERE run IN (SELECT run FROM wanted) ORDER BY pushed, run_id";

/* What we read of the server's tables. */
static const struct clickhouse_expected runs_expected = {.table = "runs",
                                                         .names_sql =
                                                             "SELECT " RUNS_COLUMNS " FROM runs",
                                                         .rows_max = CLICKHOUSE_ROWS_MAX},
                                        labels_expected = {.table = "labels",
                                                           .names_sql = "SELECT " LABELS_COLUMNS
                                                                        " FROM labels",
                                                           .rows_max = CLICKHOUSE_ROWS_MAX},
                                        batches_expected = {.table = "batches",
                                                            .names_sql = "SELECT " BATCHES_COLUMNS
                                                                         " FROM batches",
                                                            .rows_max = CLICKHOUSE_ROWS_MAX};

/* Stores the rows of the SQL in one transaction: a commit per row would cost more than the row. */
static int look_at(struct store *store, const struct clickhouse_expected *expected, const char *sql,
                   const struct http_table *tables, size_t tables_count)
{
    int status = execute_local(store, "SAVEPOINT looking");
    if (status == 0)
        status = clickhouse_receive(store, expected, sql, tables, tables_count);
    return status == 0 ? execute_local(store, "RELEASE looking") : status;
}

static int look_runs_clickhouse(struct store *store)
{
    int status = execute_local(store, "DELETE FROM runs; DELETE FROM labels; DELETE FROM batches");
    if (status == 0)
        status = look_at(store, &runs_expected, runs_sql, NULL, 0);
    return status == 0 ? look_at(store, &batches_expected,
                                 "SELECT " BATCHES_COLUMNS " FROM batches", NULL, 0)
                       : status;
}

/* Drops the labels of killed pushes: they have no run. */
static int drop_labels_of_none(struct store *store)
{
    return execute_local(store, "DELETE FROM labels WHERE run_id NOT IN (SELECT run_id FROM runs)");
}

static int look_labels_clickhouse(struct store *store)
{
    int status = look_at(store, &labels_expected, "SELECT " LABELS_COLUMNS " FROM labels", NULL, 0);
    return status == 0 ? drop_labels_of_none(store) : status;
}

static int look_all_clickhouse(struct store *store)
{
    int status = look_runs_clickhouse(store);
    return status == 0 ? look_labels_clickhouse(store) : status;
}

/* Reads only the labels that the set may mean: those of all runs would cost more than everything
 * else we read. */
static int look_set_clickhouse(struct store *store, const char *set)
{
    static const char sql[] =
        "SELECT " LABELS_COLUMNS " FROM labels WHERE value IN (SELECT label FROM meant)"
        " OR concat(key, '=', value) IN (SELECT label FROM meant)";
    struct row_binary row = {0};
    int status = row_binary_string(&row, set, strlen(set)) == 0 ? 0 : fail("out of memory");
    const struct http_table meant = {"meant", "label String", row.bytes, row.size_bytes};
    if (status == 0)
        status = look_at(store, &labels_expected, sql, &meant, 1);
    row_binary_release(&row);
    return status == 0 ? drop_labels_of_none(store) : status;
}

/* Reads one run only, however many the server has. */
static int look_clickhouse(struct store *store, const char *run)
{
    sqlite3_stmt *insert = NULL;
    int status = execute_local(store, "DELETE FROM runs; DELETE FROM labels;"
                                      " DROP TABLE IF EXISTS temp.wanted;"
                                      " CREATE TEMP TABLE wanted(run TEXT)");
    if (status != 0)
        return status;
    int result =
        sqlite3_prepare_v2(store->local, "INSERT INTO temp.wanted VALUES (?1)", -1, &insert, NULL);
    if (result == SQLITE_OK) {
        sqlite3_bind_text(insert, 1, run, -1, SQLITE_STATIC);
        result = sqlite3_step(insert);
    }
    sqlite3_finalize(insert);
    if (result != SQLITE_DONE)
        return clickhouse_local_problem(store);
    status = clickhouse_receive_with(store, &runs_expected, one_run_sql, "wanted");
    if (status == 0)
        status = execute_local(store, "DROP TABLE temp.wanted;"
                                      " CREATE TEMP TABLE wanted AS SELECT run_id FROM runs");
    if (status == 0 && run_integer(store->local, "SELECT count(*) FROM runs", 0) > 0)
        status = clickhouse_receive_with(store, &labels_expected,
                                         "SELECT " LABELS_COLUMNS " FROM labels"
                                         " WHERE run_id IN (SELECT run_id FROM wanted)",
                                         "wanted");
    return status;
}

/* ---- opening ---- */

static int connect_clickhouse(struct store *store)
{
    struct error error;
    store->connection = http_open(store->url, &error);
    if (store->connection == NULL)
        return fail("%s", error.text);
    /* "" is a temporary file that SQLite keeps in memory while there is room. */
    int result = sqlite3_open("", &store->local);
    distrust(store->local, DISTRUST_CHANGE_ROWS);
    return result == SQLITE_OK &&
                   distrust_make(store->local, embedded_fleet_schema, DISTRUST_CHANGE_ROWS) ==
                       SQLITE_OK &&
                   distrust_make(store->local,
                                 "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF",
                                 DISTRUST_CHANGE_ROWS) == SQLITE_OK &&
                   fleet_functions_add(store->local) == SQLITE_OK
               ? 0
               : clickhouse_local_problem(store);
}

static int open_clickhouse(struct store *store, bool writes)
{
    int status = connect_clickhouse(store);
    if (status == 0 && writes)
        status = make_tables(store);
    if (status == 0)
        status = check_version(store, writes);
    return status == 0 && !writes ? look_runs_clickhouse(store) : status;
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
    return 0;
}

/* Rows that we are sending. */
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
    int status = sender->count > 0 ? clickhouse_ask(sender->store, &request) : 0;
    sender->rows.size_bytes = 0;
    sender->count = 0;
    return status;
}

/* INSERT INTO table (columns) FORMAT RowBinary. Sets in *text which columns are text. */
static char *insert_query(struct store *store, const char *table, sqlite3_stmt *rows, bool *text)
{
    char *sql = NULL;
    size_t size = 0;
    FILE *out = memory_text_open(&sql, &size);
    if (out == NULL)
        return NULL;
    sqlite3_stmt *type = database_ask(
        store->local, "SELECT type <> 'INTEGER' FROM pragma_table_info(?1) WHERE name = ?2");
    fprintf(out, "INSERT INTO %s (", table);
    for (int i = 0; i < sqlite3_column_count(rows) && type != NULL; i++) {
        const char *name = sqlite3_column_name(rows, i);
        sqlite3_bind_text(type, 1, table, -1, SQLITE_STATIC);
        sqlite3_bind_text(type, 2, name, -1, SQLITE_STATIC);
        text[i] = database_row(type) && sqlite3_column_int(type, 0) != 0;
        sqlite3_reset(type);
        fprintf(out, "%s%s", i > 0 ? ", " : "", name);
    }
    sqlite3_finalize(type);
    fprintf(out, "%s) FORMAT RowBinary", store_is_common(table) ? "" : ", run_id");
    if (fclose(out) == 0)
        return sql;
    free(sql);
    return NULL;
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
    int status = sender.query == NULL ? fail("out of memory") : shortage_noted() != 0 ? 2 : 0;
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

/* Nothing is left to do: the row of runs is written. */
static int commit_clickhouse(struct store *store)
{
    (void)store;
    return 0;
}

static void abandon_clickhouse(struct store *store)
{
    (void)store; /* nobody reads rows without a row in runs */
}

/* ---- batches ---- */

/* INSERT INTO table (columns, in the order of cli/fleet/schema_fleet.sql) */
static char *insert_into(struct store *store, const char *table)
{
    char *columns = NULL;
    sqlite3_stmt *row =
        database_ask(store->local, "SELECT group_concat(name, ', ') FROM pragma_table_info(?1)");
    sqlite3_bind_text(row, 1, table, -1, SQLITE_STATIC);
    if (database_row(row))
        columns = sqlite3_mprintf("INSERT INTO %s (%s)", table,
                                  (const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    return columns;
}

static int fold_table(struct store *store, const struct embedded_query *sums, int64_t batch_id,
                      const struct http_table *folding)
{
    char *insert = insert_into(store, sums->name);
    char *sql = insert != NULL ? sqlite3_mprintf("%s SELECT %lld, * FROM (%s)", insert,
                                                 (long long)batch_id, sums->text)
                               : NULL;
    const struct http_request request = {
        .query = sql, .settings = cluster_settings, .tables = folding, .tables_count = 1};
    int status = sql != NULL ? clickhouse_ask(store, &request) : fail("out of memory");
    sqlite3_free(sql);
    sqlite3_free(insert);
    return status;
}

/* Sends the rows of batches last and in one piece: before that nobody reads the sums. */
static int send_batch(struct store *store, int64_t batch_id)
{
    struct row_binary rows = {0};
    char *structure = NULL, *insert = insert_into(store, "batches");
    char *sql = insert != NULL ? sqlite3_mprintf("%s FORMAT RowBinary", insert) : NULL;
    char *make = sqlite3_mprintf("CREATE TEMP TABLE folded AS SELECT %lld AS batch_id, run_id,"
                                 " (SELECT count(*) FROM temp.folding) AS runs FROM temp.folding",
                                 (long long)batch_id);
    int status = sql != NULL && make != NULL ? execute_local(store, make) : fail("out of memory");
    if (status == 0)
        status = clickhouse_pack(store, "folded", &rows, &structure);
    const struct http_request request = {.query = sql,
                                         .settings = cluster_settings,
                                         .body = rows.bytes,
                                         .body_bytes = rows.size_bytes};
    if (status == 0)
        status = clickhouse_ask(store, &request);
    sqlite3_exec(store->local, "DROP TABLE IF EXISTS temp.folded", NULL, NULL, NULL);
    row_binary_release(&rows);
    free(structure);
    sqlite3_free(make);
    sqlite3_free(sql);
    sqlite3_free(insert);
    return status;
}

static int fold_clickhouse(struct store *store, int64_t batch_id)
{
    struct row_binary rows = {0};
    char *structure = NULL;
    int status = clickhouse_pack(store, "folding", &rows, &structure);
    const struct http_table folding = {"folding", structure, rows.bytes, rows.size_bytes};
    for (size_t i = 0; i < embedded_fold_queries_count && status == 0; i++)
        status = fold_table(store, &embedded_fold_queries[i], batch_id, &folding);
    row_binary_release(&rows);
    free(structure);
    return status == 0 ? send_batch(store, batch_id) : status;
}

/* ---- asking ---- */

/* Is the first table in `uses` empty? Then the SQL gives no rows and we need not ask the server. */
static bool finds_nothing(struct store *store, const char *uses)
{
    char name[64], sql[96];
    if (sscanf(uses, "%63s", name) != 1)
        return false;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM temp.\"%s\"", name);
    return run_integer(store->local, sql, 1) == 0;
}

/* Runs the SQL here, where the tables of runs are empty: it gives the columns and no rows. */
static int gather_nothing(struct store *store, const char *name, const char *sql)
{
    char *text = sqlite3_mprintf("CREATE TEMP TABLE \"%w\" AS %s", name, sql);
    int status = text == NULL ? fail("out of memory")
                 : distrust_execute(store->local, text) == SQLITE_OK
                     ? 0
                     : clickhouse_local_problem(store);
    sqlite3_free(text);
    return status;
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
    /* SQLite has the same tables, and understands the same SQL. */
    const struct clickhouse_expected expected = {
        .table = name, .makes = true, .names_sql = sql, .rows_max = CLICKHOUSE_ROWS_MAX};
    if (finds_nothing(store, uses))
        return gather_nothing(store, name, sql);
    for (const char *at = uses;
         status == 0 && count < TABLES_MAX && sscanf(at, "%63s%n", names[count], &used) == 1;
         at += used, count++) {
        status = clickhouse_pack(store, names[count], &rows[count], &structures[count]);
        tables[count] =
            (struct http_table){names[count], structures[count],
                                rows[count].bytes != NULL ? (const char *)rows[count].bytes : "",
                                rows[count].size_bytes};
    }
    if (status == 0)
        status = clickhouse_receive(store, &expected, sql, tables, count);
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
    const struct clickhouse_expected expected = {
        .table = "part", .makes = true, .names_sql = sql, .rows_max = 1};
    int status = clickhouse_receive(store, &expected, sql, NULL, 0);
    *bytes = NULL;
    if (status == 0 && sqlite3_prepare_v2(store->local, "SELECT bytes FROM temp.part", -1, &row,
                                          NULL) != SQLITE_OK)
        status = clickhouse_local_problem(store);
    int step = status == 0 ? sqlite3_step(row) : SQLITE_DONE;
    if (status == 0 && step != SQLITE_ROW && step != SQLITE_DONE)
        status = clickhouse_local_problem(store);
    if (status == 0 && step == SQLITE_DONE)
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
                                              .look = look_clickhouse,
                                              .begin = begin_clickhouse,
                                              .rows = rows_clickhouse,
                                              .part = part_clickhouse,
                                              .commit = commit_clickhouse,
                                              .abandon = abandon_clickhouse,
                                              .look_all = look_all_clickhouse,
                                              .look_labels = look_labels_clickhouse,
                                              .look_set = look_set_clickhouse,
                                              .fold = fold_clickhouse,
                                              .gather = gather_clickhouse,
                                              .read_part = read_part_clickhouse,
                                              .close = close_clickhouse};
