/* All rows of calls of a run: see whole_calls.h. */
#include "cli/run/whole_calls.h"

#include "cli/out/cache_folder.h"
#include "cli/out/interrupts.h"
#include "cli/out/say.h"
#include "cli/run/database.h"
#include "cli/run/run_view.h"
#include "loader/loader.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The value of the table run, malloc'ed; NULL if it has none. */
static char *value_of(sqlite3 *database, const char *key)
{
    char *value = NULL;
    sqlite3_stmt *statement = database_ask(database, "SELECT value FROM main.run WHERE key = ?1");
    if (statement == NULL)
        return NULL;
    sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    const char *text =
        database_row(statement) ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    if (text != NULL)
        value = strdup(text);
    sqlite3_finalize(statement);
    return value;
}

static bool lacks_calls(sqlite3 *database)
{
    return run_integer(database, "SELECT count(*) FROM main.run WHERE key = 'calls'", 0) > 0;
}

bool whole_calls_possible(sqlite3 *database)
{
    char *log = value_of(database, "log");
    bool possible = log != NULL && lacks_calls(database) && access(log, R_OK) == 0;
    free(log);
    return possible;
}

/* Loads the log into `made` and opens that; NULL after saying why not. */
static sqlite3 *load_again(const char *log, const char *made, const struct load_options *options)
{
    struct load_report report;
    struct error error;
    int status = fisql_load(log, made, options, &report, &error);
    load_report_release(&report);
    if (status == 2) {
        fail("%s", error.text);
        return NULL;
    }
    return database_open(made);
}

/* Is it the same log as that of the database? */
static bool is_same(sqlite3 *database, sqlite3 *again, const char *path, const char *log)
{
    static const char *const keys[] = {"run_id", "log_bytes"};
    bool same = true;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0] && same; i++) {
        char *one = value_of(database, keys[i]), *other = value_of(again, keys[i]);
        same = one != NULL && other != NULL && strcmp(one, other) == 0;
        free(one);
        free(other);
    }
    if (!same)
        fail("%s: %s, which it was loaded from, has changed since: load it again", path, log);
    return same;
}

static bool open_made(sqlite3 **database, const char *path, const char *log, const char *made,
                      const struct load_options *options)
{
    sqlite3 *again = load_again(log, made, options);
    bool good = again != NULL && is_same(*database, again, path, log);
    if (!good) {
        sqlite3_close(again);
        return false;
    }
    sqlite3_close(*database);
    *database = again;
    return true;
}

bool whole_calls_open(sqlite3 **database, const char *path, const char *what, int64_t from_id,
                      int64_t to_id)
{
    char folder[PATH_MAX], made[PATH_MAX + 16], cache[PATH_MAX];
    const char *temporary = getenv("TMPDIR");
    const struct load_options options = {.calls = to_id != 0 ? LOAD_CALLS_LONG : LOAD_CALLS_ALL,
                                         .from_call = from_id,
                                         .to_call = to_id,
                                         .cache_dir = cache_folder(cache, sizeof cache)};
    if (!lacks_calls(*database))
        return true;
    char *log = value_of(*database, "log");
    bool good = false;
    snprintf(folder, sizeof folder, "%s/fisql-XXXXXX",
             temporary != NULL && *temporary != '\0' ? temporary : "/var/tmp");
    if (log == NULL || access(log, R_OK) != 0) {
        fail(
            "%s: lacks rows of calls, which %s needs, and %s, which has them, cannot be read: load "
            "the log with --calls=all",
            path, what, log != NULL ? log : "its log");
    } else if (mkdtemp(folder) == NULL) {
        fail("%s: cannot be made, to read %s again: set TMPDIR to a folder with room", folder, log);
    } else {
        note("%s lacks rows of calls, which %s needs: reading %s again", path, what, log);
        interrupts_remove_unfinished();
        snprintf(made, sizeof made, "%s/calls.db", folder);
        good = open_made(database, path, log, made, &options);
        unlink(made); /* it stays for who has it open */
        rmdir(folder);
    }
    free(log);
    return good;
}
