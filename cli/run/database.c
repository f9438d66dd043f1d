/* Opening a run's database for reading: see database.h. */
#include "cli/run/database.h"
#include "cli/out/say.h"
#include "cli/run/distrust.h"
#include "cli/run/schema_check.h"
#include "cli/run/wide_sum.h"

#include "base/large.h"
#include "base/must.h"
#include "base/parts.h"
#include "base/shortage.h"
#include "formats/live.h"
#include "queries/embedded.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { APPLICATION_ID = 0x4653514c };
enum { BUSY_MS = 3000 }; /* somebody reads it, or `fisql load --follow` writes it */
/* One thread at a time uses a connection: its locks took some 3 % of a query. */
enum { OPEN_FLAGS = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX };

/* The version in schema.sql. */
static long long schema_version(void)
{
    static const char pragma[] = "PRAGMA user_version = ";
    const char *at = strstr(embedded_schema, pragma);
    return at != NULL ? strtoll(at + strlen(pragma), NULL, 10) : 0;
}

/* The databases of a connection: `fisql diff` attaches the second one (cli/diff/compare.c). */
static const char *const schemas[] = {"main", "other"};
enum { SCHEMAS_COUNT = sizeof schemas / sizeof schemas[0] };

/* By thread, each with connections of its own. */
static _Thread_local bool unread;
/* last: one page that is damaged fails many look-ups, all with the same words */
static _Thread_local char *said;

int database_status(int status)
{
    return unread ? 2 : status;
}

void database_forget(void)
{
    unread = false;
    sqlite3_free(said);
    said = NULL;
}

static bool is_whole(sqlite3 *database, const char *schema)
{
    sqlite3_stmt *check = NULL;
    char sql[64];
    snprintf(sql, sizeof sql, "PRAGMA \"%s\".quick_check(1)", schema);
    bool whole = sqlite3_prepare_v2(database, sql, -1, &check, NULL) == SQLITE_OK &&
                 sqlite3_step(check) == SQLITE_ROW &&
                 strcmp((const char *)sqlite3_column_text(check, 0), "ok") == 0;
    return sqlite3_finalize(check) == SQLITE_OK && whole;
}

/* The name of the database that cannot be read. SQLite does not tell which of two it is, so we look
 * which one is damaged: that reads both, but only after a failure. */
static char *failed_name(sqlite3 *database)
{
    const char *damaged = NULL, *first = sqlite3_db_filename(database, schemas[0]);
    const char *second = sqlite3_db_filename(database, schemas[1]);
    int count = 0;
    if (second == NULL)
        return sqlite3_mprintf("%s", first);
    for (int i = 0; i < SCHEMAS_COUNT; i++)
        if (!is_whole(database, schemas[i])) {
            damaged = sqlite3_db_filename(database, schemas[i]);
            count++;
        }
    return count == 1 ? sqlite3_mprintf("%s", damaged)
                      : sqlite3_mprintf("one of %s and %s", first, second);
}

/* Says once that the database cannot be read, and notes it; `what` names the rows, or is NULL. */
static void note_unread(sqlite3 *database, int code, const char *what, const char *words)
{
    char *name = code != SQLITE_NOMEM ? failed_name(database) : NULL;
    char *text = sqlite3_mprintf("%s: %s%scannot be read: %s",
                                 name != NULL ? name : sqlite3_db_filename(database, "main"),
                                 what != NULL ? what : "", what != NULL ? " " : "", words);
    if (text == NULL || said == NULL || strcmp(text, said) != 0)
        fail("%s", text != NULL ? text : "out of memory");
    unread = true;
    shortage_note(code == SQLITE_NOMEM ? ENOMEM : EIO);
    sqlite3_free(said);
    said = text;
    sqlite3_free(name);
}

int database_fail(sqlite3 *database, const char *what)
{
    char *words = sqlite3_mprintf("%s", sqlite3_errmsg(database)); /* of now: to look changes it */
    note_unread(database, sqlite3_errcode(database), what, words != NULL ? words : "out of memory");
    sqlite3_free(words);
    return 2;
}

bool database_is_unreadable(sqlite3 *database)
{
    int kind = sqlite3_errcode(database) & 0xff;
    return kind == SQLITE_IOERR || kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB;
}

void database_failed(sqlite3 *database)
{
    database_fail(database, NULL);
}

sqlite3_stmt *database_ask(sqlite3 *database, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK)
        database_failed(database);
    return statement;
}

bool database_row(sqlite3_stmt *statement)
{
    int result = statement != NULL ? sqlite3_step(statement) : SQLITE_DONE;
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        database_failed(sqlite3_db_handle(statement));
    return result == SQLITE_ROW;
}

int database_column(sqlite3_stmt *row, const char *name)
{
    for (int i = 0; i < sqlite3_column_count(row); i++) {
        const char *column = sqlite3_column_name(row, i);
        if (column != NULL && strcmp(column, name) == 0)
            return i;
    }
    return -1;
}

const char *database_shown(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    sqlite3 *database = sqlite3_db_handle(row);
    if (text == NULL && sqlite3_errcode(database) == SQLITE_NOMEM)
        note_unread(database, SQLITE_NOMEM, NULL, "out of memory");
    return text;
}

char *database_copy(sqlite3_stmt *row, int column)
{
    const char *text = database_shown(row, column);
    char *copy = text != NULL ? strdup(text) : NULL;
    if (text != NULL && copy == NULL)
        note_unread(sqlite3_db_handle(row), SQLITE_NOMEM, NULL, "out of memory");
    return copy;
}

char *database_text(sqlite3_stmt *statement)
{
    char *text = database_row(statement) ? database_copy(statement, 0) : NULL;
    sqlite3_finalize(statement);
    return text;
}

int64_t database_integer(sqlite3_stmt *statement, int64_t otherwise)
{
    bool found = database_row(statement) && sqlite3_column_type(statement, 0) != SQLITE_NULL;
    int64_t value = found ? sqlite3_column_int64(statement, 0) : otherwise;
    sqlite3_finalize(statement);
    return value;
}

/* Opens the file as one that nobody changes: the only way if it was left in WAL mode in a folder
 * that we cannot write to. */
static int open_immutable(const char *path, sqlite3 **database)
{
    char uri[PATH_MAX * 3 + 32] = "file:";
    size_t used = strlen(uri);
    for (const char *at = path; *at != '\0' && used < sizeof uri - 20; at++)
        used += (size_t)snprintf(uri + used, 4, strchr("%?#", *at) != NULL ? "%%%02x" : "%c", *at);
    snprintf(uri + used, sizeof uri - used, "?immutable=1");
    return sqlite3_open_v2(uri, database, OPEN_FLAGS | SQLITE_OPEN_URI, NULL);
}

static int open_read_only(const char *path, sqlite3 **database)
{
    int result = sqlite3_open_v2(path, database, OPEN_FLAGS, NULL);
    distrust(*database, DISTRUST_READ);
    if (result == SQLITE_OK)
        result = sqlite3_busy_timeout(*database, BUSY_MS);
    if (result ==
        SQLITE_OK) /* reads of the contexts of a large program are spread over the table */
        sqlite3_exec(*database, "PRAGMA cache_size = -262144", NULL, NULL, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_exec(*database, "SELECT 1 FROM sqlite_schema", NULL, NULL, NULL);
    if (result == SQLITE_CANTOPEN && access(path, R_OK) == 0) {
        sqlite3_close(*database);
        result = open_immutable(path, database);
        distrust(*database, DISTRUST_READ);
    }
    return result;
}

bool database_is_log(const char *path)
{
    uint32_t magic = 0;
    FILE *file = fopen(path, "re");
    bool log =
        file != NULL && fread(&magic, sizeof magic, 1, file) == 1 && magic == FISQL_CHUNK_MAGIC;
    if (file != NULL)
        fclose(file);
    return log;
}

/* Says that the file is no database of ours, or a log, which has to be loaded first. */
static void fail_foreign(const char *path)
{
    if (database_is_log(path))
        fail("%s: is a log, not a database: `fisql load %s` makes its database first", path, path);
    else
        fail("%s: is not a fisql database: make one of a log with `fisql load run.bin`", path);
}

/* Can the opened file be used? Says why not. */
static int check(sqlite3 *database, const char *path)
{
    const int64_t none = INT64_MIN; /* both have 32 bits: it cannot be read, which has been said */
    int64_t application = database_integer(database_ask(database, "PRAGMA application_id"), none);
    long long version = database_integer(database_ask(database, "PRAGMA user_version"), none);
    if (application == none || version == none)
        return 0;
    if (application != APPLICATION_ID) {
        fail_foreign(path);
        return 0;
    }
    if (version != schema_version()) {
        fail("%s: has schema version %lld, this fisql reads version %lld: %s", path, version,
             schema_version(),
             version > schema_version() ? "use the fisql that made it, or load the log again"
                                        : "load the log again with `fisql load`");
        return 0;
    }
    return 1;
}

/* Says why SQLite could not open the file. */
static void fail_opening(const char *path, sqlite3 *database)
{
    int result = sqlite3_errcode(database);
    if (result == SQLITE_NOTADB)
        fail_foreign(path);
    else if (result != SQLITE_READONLY && result != SQLITE_CANTOPEN)
        fail("%s: cannot be opened: %s", path, sqlite3_errmsg(database));
    else if (distrust_beside(path, false)) /* speaks for itself */
        fail("%s: cannot be opened without writing to %s-wal and %s-shm: ask whoever writes to the "
             "database to end, or copy it with them to another folder",
             path, path, path);
}

static sqlite3 *open_with(const char *path, const char *temporaries)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        fail("%s: %s: make a database with `fisql load run.bin -o %s`", path, strerror(errno),
             path);
        return NULL;
    }
    if (!S_ISREG(status.st_mode)) {
        fail("%s: is not a file: give a database that `fisql load` made", path);
        return NULL;
    }
    if (!distrust_beside(path, true))
        return NULL;
    sqlite3 *database = NULL;
    if (open_read_only(path, &database) == SQLITE_OK) {
        /* Before there are temporary views: changing it drops them. */
        sqlite3_exec(database, temporaries, NULL, NULL, NULL);
        if (wide_sum_add(database) != SQLITE_OK)
            fail("%s: cannot be opened: %s", path, sqlite3_errmsg(database));
        else if (check(database, path) && distrust_schema(database, path) &&
                 schema_check(database, path))
            return database;
    } else {
        fail_opening(path, database);
    }
    sqlite3_close(database);
    return NULL;
}

enum { HEAP_BYTES = 256 << 20 };

sqlite3 *database_open(const char *path)
{
    static bool opened;
    if (!opened) /* SQLite's pages and sorts fill many blocks of some KiB */
        large_heap(HEAP_BYTES);
    opened = true;
    return open_with(path, "PRAGMA temp_store = MEMORY");
}

sqlite3 *database_open_sparing(const char *path)
{
    return open_with(path, "PRAGMA temp_store = FILE; PRAGMA cache_size = -32768");
}

sqlite3 *database_open_to_change(const char *path)
{
    sqlite3 *database = database_open(path);
    if (database == NULL)
        return NULL;
    sqlite3_close(database);
    int result =
        sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    distrust(database, DISTRUST_CHANGE_ROWS);
    if (result == SQLITE_OK && sqlite3_db_readonly(database, "main") == 1)
        fail("%s: cannot be changed: you may only read it: copy it, or ask its owner", path);
    else if (result == SQLITE_OK &&
             sqlite3_exec(database, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL) == SQLITE_OK &&
             sqlite3_busy_timeout(database, BUSY_MS) == SQLITE_OK)
        return database;
    else
        database_change_failed(database, path);
    sqlite3_close(database);
    return NULL;
}

int database_change_failed(sqlite3 *database, const char *path)
{
    switch (sqlite3_errcode(database) & 0xff) {
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
        return fail("%s: cannot be changed: a change needs a journal beside it, and its folder "
                    "cannot be written: copy it to another folder",
                    path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return fail("%s: cannot be changed: another program reads or writes it: try again when it "
                    "has ended",
                    path);
    default:
        return fail("%s: cannot be changed: %s", path, sqlite3_errmsg(database));
    }
}

/* Says if the log beside the database, run.bin for run.db, is newer. */
static void say_stale(const char *path)
{
    char log[PATH_MAX];
    size_t length = strlen(path);
    struct stat database_status, log_status;
    if (length + 2 > sizeof log || !ends_with(path, ".db"))
        return;
    snprintf(log, sizeof log, "%.*s.bin", (int)(length - 3), path);
    if (stat(path, &database_status) != 0 || stat(log, &log_status) != 0)
        return;
    struct timespec made = database_status.st_mtim, recorded = log_status.st_mtim;
    if (recorded.tv_sec > made.tv_sec ||
        (recorded.tv_sec == made.tv_sec && recorded.tv_nsec > made.tv_nsec))
        note("%s: is older than its log %s: `fisql load %s` brings it up to date", path, log, log);
}

/* Says that nothing was recorded, and what to do. Returns whether that is so. */
static bool say_nothing(sqlite3 *database, const char *path)
{
    sqlite3_stmt *statement = database_ask(database, "SELECT detail FROM losses WHERE reason = ?1");
    sqlite3_bind_text(statement, 1, FISQL_LOSS_NOTHING, -1, SQLITE_STATIC);
    bool nothing = database_row(statement);
    if (nothing) {
        const char *detail = (const char *)sqlite3_column_text(statement, 0);
        note("%s: %s: %s", path, FISQL_LOSS_NOTHING, detail != NULL ? detail : "?");
    }
    sqlite3_finalize(statement);
    return nothing;
}

long long database_say_state(sqlite3 *database, const char *path)
{
    long long losses = database_integer(database_ask(database, "SELECT count(*) FROM losses"), 0);
    if (losses > 0 && !say_nothing(database, path)) {
        char *reasons = database_text(
            database_ask(database, "SELECT group_concat(DISTINCT reason) FROM losses"));
        note("%s: the recording is not complete (%lld %s: %s): see the table losses", path, losses,
             losses == 1 ? "loss" : "losses", reasons != NULL ? reasons : "?");
        free(reasons);
    }
    say_stale(path);
    return losses;
}

void database_hold(sqlite3 *database)
{
    sqlite3_exec(database, "BEGIN", NULL, NULL, NULL);
}

int database_rows(sqlite3 *database, const char *sql, const char *what, sqlite3_stmt **statement)
{
    return sqlite3_prepare_v2(database, sql, -1, statement, NULL) == SQLITE_OK
               ? 0
               : database_fail(database, what);
}

int database_rows_short(sqlite3_stmt *statement)
{
    sqlite3_finalize(statement);
    return fail("out of memory");
}

int database_rows_end(sqlite3_stmt *statement, const char *what)
{
    must(statement != NULL);
    sqlite3 *database = sqlite3_db_handle(statement);
    return sqlite3_finalize(statement) == SQLITE_OK ? 0 : database_fail(database, what);
}

int database_check_frames(sqlite3 *database)
{
    sqlite3_stmt *statement = NULL;
    if (database_rows(database,
                      "SELECT id FROM main.frames INDEXED BY frames_astray"
                      " WHERE parent_id >= id OR id < 1 LIMIT 1",
                      "the frames", &statement) != 0)
        return 2;
    bool found = sqlite3_step(statement) == SQLITE_ROW;
    long long bad = found ? sqlite3_column_int64(statement, 0) : 0;
    if (database_rows_end(statement, "the frames") != 0)
        return 2;
    if (found)
        return fail("%s: its frames contradict one another (frame %lld): load the log again",
                    sqlite3_db_filename(database, "main"), bad);
    return 0;
}
