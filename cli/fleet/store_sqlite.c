/*
 * Many runs in one SQLite file. `local` is the connection to this file: we gather from its tables
 * into temporary ones. A push is one transaction.
 */
#include "cli/fleet/store.h"

#include "cli/fleet/functions.h"
#include "cli/out/say.h"
#include "cli/run/distrust.h"
#include "cli/run/run_view.h"
#include "cli/run/schema_check.h"
#include "queries/embedded.h"
#include "base/memory_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { APPLICATION_ID = 0x46535146, BUSY_MS = 120000 };

static int problem(const struct store *store)
{
    int code = store->local != NULL ? sqlite3_errcode(store->local) : SQLITE_NOMEM;
    if (code == SQLITE_BUSY)
        return fail("%s: another process has been writing to it for two minutes: try again",
                    store->url);
    if (code == SQLITE_READONLY)
        return fail("%s: may not be written by you: ask for the permission, or push elsewhere",
                    store->url);
    if (code == SQLITE_FULL)
        return fail(
            "%s: no room is left on its disk, or on that of temporary files (TMPDIR): make room "
            "and try again; nothing was added by halves",
            store->url);
    return fail("%s: %s", store->url,
                store->local != NULL ? sqlite3_errmsg(store->local) : "out of memory");
}

static int execute(struct store *store, const char *sql)
{
    return sqlite3_exec(store->local, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : problem(store);
}

/* Only its owner may read a new file, as with the databases of runs. */
static int make_file(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct stat status;
    if (file < 0)
        return fail("%s: cannot be made: %s", path, strerror(errno));
    bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    close(file);
    return regular ? 0 : fail("%s: is not a file: give another name", path);
}

static int check(struct store *store)
{
    const int64_t none = INT64_MIN; /* both have 32 bits: it cannot be read, which has been said */
    int64_t application = run_integer(store->local, "PRAGMA application_id", none);
    int64_t version = run_integer(store->local, "PRAGMA user_version", none);
    if (application == none || version == none)
        return 2;
    if (application == 0x4653514c)
        return fail(
            "%s: is the database of one run; many runs are kept in a file of their own, such "
            "as fleet.db",
            store->url);
    if (application != APPLICATION_ID)
        return fail("%s: is not a file of many runs: `fisql push` makes one", store->url);
    if (version != STORE_VERSION)
        return fail("%s: has version %lld of its tables, this fisql knows version %d: %s",
                    store->url, (long long)version, STORE_VERSION,
                    version > STORE_VERSION ? "use a newer fisql" : "push the runs to a new file");
    return distrust_schema(store->local, store->url) &&
                   schema_same(store->local, store->url, embedded_fleet_schema,
                               "`fisql push` makes it")
               ? 0
               : 2;
}

/* Makes the tables if the file is empty; another process may have been faster. */
static int make_tables(struct store *store)
{
    if (execute(store, "BEGIN IMMEDIATE") != 0)
        return 2;
    if (run_integer(store->local, "SELECT count(*) FROM sqlite_schema", -1) == 0 &&
        distrust_make(store->local, embedded_fleet_schema, DISTRUST_CHANGE_ROWS) != SQLITE_OK)
        return problem(store);
    return execute(store, "COMMIT");
}

static int open_sqlite(struct store *store, bool writes)
{
    struct stat status;
    if (!writes && stat(store->url, &status) != 0)
        return fail("%s: %s: `fisql push %s run.db` makes it", store->url, strerror(errno),
                    store->url);
    if (writes && make_file(store->url) != 0)
        return 2;
    if (!distrust_beside(store->url, true))
        return 2;
    /* A reader may have to undo the rest of a killed push, so it needs write access, too. */
    int result = sqlite3_open_v2(store->url, &store->local,
                                 SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (result != SQLITE_OK)
        return problem(store);
    distrust(store->local, writes ? DISTRUST_CHANGE_ROWS : DISTRUST_READ);
    sqlite3_db_config(store->local, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_busy_timeout(store->local, BUSY_MS);
    sqlite3_exec(store->local, "PRAGMA cache_size = -65536", NULL, NULL, NULL);
    if (sqlite3_exec(store->local, "SELECT 1 FROM sqlite_schema", NULL, NULL, NULL) ==
        SQLITE_NOTADB)
        return fail("%s: is not a file of many runs: `fisql push` makes one", store->url);
    if (writes && make_tables(store) != 0)
        return 2;
    if (fleet_functions_add(store->local) != SQLITE_OK)
        return problem(store);
    return check(store);
}

static int make_sqlite(struct store *store)
{
    return open_sqlite(store, true);
}

static int begin_sqlite(struct store *store)
{
    if (execute(store, "BEGIN IMMEDIATE") != 0)
        return 2;
    /* If the query fails we must not take its result for an id: another run may have that one. */
    store->run_id = run_integer(store->local, "SELECT coalesce(max(run_id), 0) + 1 FROM runs", -1);
    return store->run_id > 0 ? 0 : fail("%s: no run can be added to it", store->url);
}

/* NULL after saying why not. */
static sqlite3_stmt *prepare_insert(struct store *store, const char *table, sqlite3_stmt *rows)
{
    char *sql = NULL;
    size_t size = 0;
    sqlite3_stmt *insert = NULL;
    FILE *out = memory_text_open(&sql, &size);
    if (out == NULL) {
        fail("%s: out of memory", store->url);
        return NULL;
    }
    int count = sqlite3_column_count(rows);
    fprintf(out, "INSERT %sINTO main.%s(", store_is_common(table) ? "OR IGNORE " : "", table);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%s", i > 0 ? ", " : "", sqlite3_column_name(rows, i));
    fputs(store_is_common(table) ? ") VALUES (" : ", run_id) VALUES (", out);
    for (int i = 0; i < count; i++)
        fputs(i > 0 ? ", ?" : "?", out);
    fputs(store_is_common(table) ? ")" : ", ?)", out);
    bool whole = ferror(out) == 0;
    if (fclose(out) != 0 || !whole || sql == NULL)
        fail("%s: out of memory", store->url);
    else if (sqlite3_prepare_v2(store->local, sql, -1, &insert, NULL) != SQLITE_OK)
        problem(store);
    free(sql);
    return insert;
}

static int rows_sqlite(struct store *store, const char *table, sqlite3_stmt *rows)
{
    sqlite3_stmt *insert = prepare_insert(store, table, rows);
    int count = sqlite3_column_count(rows), status = 0;
    if (insert == NULL)
        return 2;
    while (status == 0 && sqlite3_step(rows) == SQLITE_ROW) {
        int result = SQLITE_OK;
        for (int i = 0; i < count && result == SQLITE_OK; i++)
            result = sqlite3_bind_value(insert, i + 1, sqlite3_column_value(rows, i));
        if (result == SQLITE_OK && !store_is_common(table))
            result = sqlite3_bind_int64(insert, count + 1, store->run_id);
        if (result != SQLITE_OK || sqlite3_step(insert) != SQLITE_DONE)
            status = problem(store);
        sqlite3_reset(insert);
    }
    if (sqlite3_reset(rows) != SQLITE_OK && status == 0)
        status = fail("%s: its %s cannot be read: %s",
                      sqlite3_db_filename(sqlite3_db_handle(rows), "main"), table,
                      sqlite3_errmsg(sqlite3_db_handle(rows)));
    sqlite3_finalize(insert);
    return status;
}

static int part_sqlite(struct store *store, int64_t number, const void *bytes, size_t size_bytes)
{
    sqlite3_stmt *insert = NULL;
    int result = sqlite3_prepare_v2(store->local, "INSERT INTO main.parts VALUES (?, ?, ?)", -1,
                                    &insert, NULL);
    if (result == SQLITE_OK) {
        result = sqlite3_bind_int64(insert, 1, store->run_id);
        if (result == SQLITE_OK)
            result = sqlite3_bind_int64(insert, 2, number);
        if (result == SQLITE_OK)
            result = sqlite3_bind_blob64(insert, 3, bytes, size_bytes, SQLITE_STATIC);
        if (result == SQLITE_OK)
            result = sqlite3_step(insert);
    }
    int status = result == SQLITE_DONE ? 0 : problem(store);
    sqlite3_finalize(insert);
    return status;
}

static int commit_sqlite(struct store *store)
{
    return execute(store, "COMMIT");
}

static void abandon_sqlite(struct store *store)
{
    if (store->local != NULL && sqlite3_get_autocommit(store->local) == 0)
        sqlite3_exec(store->local, "ROLLBACK", NULL, NULL, NULL);
}

/* ---- batches ---- */

static int look_sqlite(struct store *store, const char *run)
{
    (void)store; /* these tables are always up to date */
    (void)run;
    return 0;
}

static int look_all_sqlite(struct store *store)
{
    (void)store;
    return 0;
}

static int look_set_sqlite(struct store *store, const char *set)
{
    (void)store;
    (void)set;
    return 0;
}

static int fold_table(struct store *store, const struct embedded_query *sums, int64_t batch_id)
{
    char *sql = sqlite3_mprintf("INSERT INTO main.%s SELECT %lld, s.* FROM (%s) s", sums->name,
                                (long long)batch_id, sums->text);
    int status = sql != NULL ? execute(store, sql) : problem(store);
    sqlite3_free(sql);
    return status;
}

static int fold_sqlite(struct store *store, int64_t batch_id)
{
    int status = execute(store, "BEGIN IMMEDIATE");
    for (size_t i = 0; i < embedded_fold_queries_count && status == 0; i++)
        status = fold_table(store, &embedded_fold_queries[i], batch_id);
    char *sql = sqlite3_mprintf("INSERT INTO main.batches SELECT %lld, run_id,"
                                " (SELECT count(*) FROM temp.folding) FROM temp.folding",
                                (long long)batch_id);
    if (status == 0)
        status = sql != NULL ? execute(store, sql) : problem(store);
    sqlite3_free(sql);
    return status == 0 ? execute(store, "COMMIT") : status;
}

static int gather_sqlite(struct store *store, const char *name, const char *sql, const char *uses)
{
    (void)uses; /* the SQL can read the tables directly */
    char *text = sqlite3_mprintf("CREATE TEMP TABLE \"%w\" AS %s", name, sql);
    int status =
        text != NULL && distrust_execute(store->local, text) == SQLITE_OK ? 0 : problem(store);
    sqlite3_free(text);
    return status;
}

static int read_part_sqlite(struct store *store, int64_t run_id, int64_t number, void **bytes,
                            size_t *size_bytes)
{
    sqlite3_stmt *rows = NULL;
    int status = 2;
    if (sqlite3_prepare_v2(store->local,
                           "SELECT bytes FROM main.parts WHERE run_id = ?1 AND number = ?2", -1,
                           &rows, NULL) != SQLITE_OK)
        return problem(store);
    sqlite3_bind_int64(rows, 1, run_id);
    sqlite3_bind_int64(rows, 2, number);
    int step = sqlite3_step(rows);
    if (step == SQLITE_ROW) {
        const void *blob = sqlite3_column_blob(rows, 0);
        *size_bytes = (size_t)sqlite3_column_bytes(rows, 0);
        if (blob == NULL && *size_bytes > 0)
            status = problem(store);
        else if ((*bytes = malloc(*size_bytes + 1)) == NULL)
            status = fail("out of memory for a part of the run");
        else
            status = 0;
        if (status == 0 && blob != NULL)
            memcpy(*bytes, blob, *size_bytes);
    } else if (step == SQLITE_DONE) {
        fail("%s: part %lld of the run is not there: push it to a new file", store->url,
             (long long)number);
    } else {
        problem(store);
    }
    sqlite3_finalize(rows);
    return status;
}

static void close_sqlite(struct store *store)
{
    sqlite3_close(store->local);
}

const struct store_engine store_sqlite = {.open = open_sqlite,
                                          .make = make_sqlite,
                                          .look = look_sqlite,
                                          .begin = begin_sqlite,
                                          .rows = rows_sqlite,
                                          .part = part_sqlite,
                                          .commit = commit_sqlite,
                                          .abandon = abandon_sqlite,
                                          .look_all = look_all_sqlite,
                                          .look_labels = look_all_sqlite,
                                          .look_set = look_set_sqlite,
                                          .fold = fold_sqlite,
                                          .gather = gather_sqlite,
                                          .read_part = read_part_sqlite,
                                          .close = close_sqlite};
