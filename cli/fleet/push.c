/* Pushing a run: see push.h. */
#include "cli/fleet/push.h"

#include "base/shortage.h"
#include "cli/fleet/archive.h"
#include "cli/fleet/contexts.h"
#include "cli/fleet/found.h"
#include "cli/fleet/functions.h"
#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/run/database.h"
#include "cli/run/whole_calls.h"
#include "cli/run/run_view.h"
#include "queries/embedded.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A run that is being pushed. */
struct push {
    struct store *store;
    const struct push_options *options;
    const char *path;
    sqlite3 *database;
    struct contexts contexts;
    struct archive archive;
    int64_t parts, packed_bytes;
    char run[64];
};

int push_label_check(const char *label)
{
    const char *equals = strchr(label, '=');
    size_t key_bytes = equals != NULL ? (size_t)(equals - label) : 0;
    if (key_bytes == 0 || key_bytes > 100 ||
        strspn(label, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") !=
            key_bytes)
        return fail("--label %s: wants KEY=VALUE, the key of letters, digits, _, . and -", label);
    return 0;
}

static int problem(const struct push *push)
{
    return fail("%s: %s", push->path, sqlite3_errmsg(push->database));
}

/* Puts the labels into the table temp.given. If a key comes twice, the last one counts. */
static int give_labels(struct push *push)
{
    sqlite3_stmt *insert = NULL;
    if (sqlite3_exec(push->database,
                     "CREATE TEMP TABLE given(key TEXT PRIMARY KEY, value TEXT NOT NULL)", NULL,
                     NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(push->database, "INSERT OR REPLACE INTO temp.given VALUES (?1, ?2)", -1,
                           &insert, NULL) != SQLITE_OK)
        return problem(push);
    int status = 0;
    for (size_t i = 0; i < push->options->labels_count && status == 0; i++) {
        const char *label = push->options->labels[i], *equals = strchr(label, '=');
        if (sqlite3_bind_text(insert, 1, label, (int)(equals - label), SQLITE_STATIC) !=
                SQLITE_OK ||
            sqlite3_bind_text(insert, 2, equals + 1, -1, SQLITE_STATIC) != SQLITE_OK ||
            sqlite3_step(insert) != SQLITE_DONE)
            status = problem(push);
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    return status;
}

/* ---- the same run twice ---- */

/* NULL after saying why not. */
static sqlite3_stmt *prepare_known(struct store *store, const char *run)
{
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(
            store->local,
            "SELECT r.has_calls, l.key || '=' || l.value FROM runs r LEFT JOIN labels l"
            " ON l.run_id = r.run_id AND l.key NOT IN ('program', 'host', 'build', 'day', 'rank', "
            "'ranks')"
            " WHERE r.run = ?1 ORDER BY l.key",
            -1, &rows, NULL) == SQLITE_OK &&
        sqlite3_bind_text(rows, 1, run, -1, SQLITE_STATIC) == SQLITE_OK)
        return rows;
    fail("%s: its runs cannot be read: %s", store->url, sqlite3_errmsg(store->local));
    sqlite3_finalize(rows);
    return NULL;
}

static bool given(const struct push *push, const char *label)
{
    sqlite3_stmt *look =
        database_ask(push->database, "SELECT 1 FROM temp.given WHERE key || '=' || value = ?1");
    sqlite3_bind_text(look, 1, label, -1, SQLITE_STATIC);
    bool found = database_row(look);
    sqlite3_finalize(look);
    return found;
}

/* Looks whether the store has the run and sets *known. A repeated push must change nothing, so
 * we refuse one that would. */
static int look_for_run(struct push *push, bool *known)
{
    sqlite3_stmt *rows = prepare_known(push->store, push->run);
    *known = false;
    if (rows == NULL)
        return 2;
    int64_t labels = run_integer(push->database,
                                 "SELECT count(*) FROM temp.given WHERE key NOT IN ('program', "
                                 "'host', 'build', 'day', 'rank', 'ranks')",
                                 0);
    int64_t same = 0, there = 0;
    bool calls = true;
    while (sqlite3_step(rows) == SQLITE_ROW) {
        const char *label = (const char *)sqlite3_column_text(rows, 1);
        *known = true;
        calls = sqlite3_column_int(rows, 0) != 0;
        there += label != NULL;
        same += label != NULL && given(push, label);
    }
    if (sqlite3_finalize(rows) != SQLITE_OK)
        return fail("%s: its runs cannot be read: %s", push->store->url,
                    sqlite3_errmsg(push->store->local));
    if (shortage_noted() != 0)
        return 2;
    if (*known && (same != labels || same != there))
        return fail("%s: is in %s already, with other labels: what was pushed does not change",
                    push->path, push->store->url);
    if (*known && push->options->calls && !calls)
        return fail("%s: is in %s already, without its calls: what was pushed does not change",
                    push->path, push->store->url);
    return 0;
}

/* ---- rows ---- */

static const char *text_of(const char *table)
{
    for (size_t i = 0; i < embedded_push_queries_count; i++)
        if (strcmp(embedded_push_queries[i].name, table) == 0)
            return embedded_push_queries[i].text;
    return "";
}

static bool bind(sqlite3_stmt *statement, const char *name, int64_t value)
{
    int index = sqlite3_bind_parameter_index(statement, name);
    return index == 0 || sqlite3_bind_int64(statement, index, value) == SQLITE_OK;
}

static int push_table(struct push *push, const char *table)
{
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(push->database, text_of(table), -1, &rows, NULL) != SQLITE_OK)
        return problem(push);
    bool bound = bind(rows, ":pushed", (int64_t)time(NULL)) &&
                 bind(rows, ":contexts", (int64_t)push->contexts.distinct) &&
                 bind(rows, ":has_calls", push->options->calls) &&
                 bind(rows, ":parts", push->parts) &&
                 bind(rows, ":database_bytes", push->archive.bytes);
    int status = bound ? store_rows(push->store, table, rows) : problem(push);
    sqlite3_finalize(rows);
    return status;
}

static int put_part(void *context, int64_t number, const void *bytes, size_t size_bytes)
{
    struct push *push = context;
    push->packed_bytes += (int64_t)size_bytes;
    return store_part(push->store, number, bytes, size_bytes);
}

/* Pushes the row of runs last: it makes the run visible. */
static int push_tables(struct push *push)
{
    static const char *const tables[] = {
        "labels",   "facts",       "names",   "functions", "durations", "edges",       "stacks",
        "contexts", "allocations", "slowest", "incidents", "findings",  "value_counts"};
    int status = 0;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0] && status == 0; i++)
        status = push_table(push, tables[i]);
    if (status == 0 && push->options->calls)
        status = push_table(push, "calls");
    if (status == 0 && push->options->calls)
        status = push_table(push, "allocs");
    if (status == 0)
        status = archive_pack(&push->archive, put_part, push, &push->parts);
    return status == 0 ? push_table(push, "runs") : status;
}

/* ---- a run ---- */

static int read_run(struct push *push)
{
    push->database = database_open_sparing(push->path);
    if (push->database == NULL ||
        (push->options->calls &&
         !whole_calls_open(&push->database, push->path, "push --calls", 0, 0)))
        return 2;
    database_hold(push->database);
    char *run =
        database_text(database_ask(push->database, "SELECT value FROM run WHERE key = 'run_id'"));
    snprintf(push->run, sizeof push->run, "%s", run != NULL ? run : "");
    free(run);
    if (shortage_noted() != 0)
        return 2;
    if (push->run[0] == '\0')
        return fail("%s: has no run_id, which distinguishes runs: load the log again", push->path);
    if (fleet_functions_add(push->database) != SQLITE_OK)
        return problem(push);
    int status = contexts_load(&push->contexts, push->database);
    return status == 0 ? give_labels(push) : status;
}

static void say_pushed(const struct push *push)
{
    char size[32];
    output_bytes((double)push->packed_bytes, size, sizeof size);
    note("%s: run %s pushed to %s: %" PRIu64 " contexts, its database in %s", push->path, push->run,
         push->store->url, push->contexts.distinct, size);
}

static int push_read(struct push *push)
{
    bool known;
    int status = store_look(push->store, push->run);
    if (status == 0)
        status = look_for_run(push, &known);
    if (status != 0)
        return status;
    if (!known)
        status = found_make(push->database);
    if (status == 0 && !known)
        status = archive_make(&push->archive, push->database, push->options->calls);
    if (status == 0 && !known)
        status = store_begin(push->store);
    if (status == 0 && !known) /* another push may have been faster */
        status = store_look(push->store, push->run);
    if (status == 0 && !known)
        status = look_for_run(push, &known);
    if (status == 0 && !known)
        status = push_tables(push);
    if (status == 0 && !known)
        status = store_commit(push->store);
    store_abandon(push->store);
    if (status == 0 && known && !push->options->quiet)
        note("%s: run %s is in %s already: nothing to do", push->path, push->run, push->store->url);
    else if (status == 0 && !push->options->quiet)
        say_pushed(push);
    return status;
}

int push_run(struct store *store, const char *path, const struct push_options *options)
{
    struct push push = {.store = store, .options = options, .path = path};
    int status = read_run(&push);
    if (status == 0)
        status = push_read(&push);
    archive_release(&push.archive);
    contexts_release(&push.contexts);
    sqlite3_close(push.database);
    return status;
}
