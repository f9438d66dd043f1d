/* The database of a campaign: see experiments.h. */
#include "cli/faults/experiments.h"

#include "base/array.h"
#include "base/shortage.h"
#include "cli/out/say.h"
#include "cli/run/database.h"
#include "cli/run/distrust.h"
#include "cli/run/run_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* experiments.sql */
extern const char experiments_sql_put[], experiments_sql_ran[], experiments_sql_put_ran[];

#define BUSY_MS 60000 /* other supervisors write their results */

static int failed(sqlite3 *database)
{
    const char *path = sqlite3_db_filename(database, "main");
    return fail("%s: %s", path != NULL ? path : "the campaign's database",
                sqlite3_errmsg(database));
}

static int open_to_write(const char *path, sqlite3 **database)
{
    int result = sqlite3_open_v2(path, database, SQLITE_OPEN_READWRITE, NULL);
    distrust(*database, DISTRUST_CHANGE_ROWS);
    return result == SQLITE_OK ? sqlite3_busy_timeout(*database, BUSY_MS) : result;
}

sqlite3 *experiments_open(const char *path)
{
    sqlite3 *database = database_open(path);
    if (database == NULL)
        return NULL;
    sqlite3_close(database);
    if (open_to_write(path, &database) == SQLITE_OK &&
        sqlite3_exec(database, "PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY", NULL, NULL,
                     NULL) == SQLITE_OK)
        return database;
    failed(database);
    sqlite3_close(database);
    return NULL;
}

/* ---- what it was asked for ---- */

static int put_value(sqlite3 *database, const char *key, const char *value)
{
    sqlite3_stmt *put = NULL;
    if (sqlite3_prepare_v2(database, "INSERT OR REPLACE INTO campaign VALUES (?1, ?2)", -1, &put,
                           NULL) == SQLITE_OK) {
        sqlite3_bind_text(put, 1, key, -1, SQLITE_STATIC);
        sqlite3_bind_text(put, 2, value, -1, SQLITE_STATIC);
        sqlite3_step(put);
    }
    return sqlite3_finalize(put) == SQLITE_OK ? 0 : failed(database);
}

char *experiments_value(sqlite3 *database, const char *key)
{
    sqlite3_stmt *row = database_ask(database, "SELECT value FROM campaign WHERE key = ?1");
    sqlite3_bind_text(row, 1, key, -1, SQLITE_STATIC);
    return database_text(row);
}

static const char *word_key(size_t at, char *text, size_t size)
{
    snprintf(text, size, "word %zu", at);
    return text;
}

int experiments_put_key(sqlite3 *database, const struct campaign_key *key)
{
    const char *const pairs[][2] = {{"calls", key->calls},
                                    {"per", key->per},
                                    {"folder", key->folder},
                                    {"copy", key->copy ? "1" : "0"},
                                    {"stamp", key->stamp}};
    char name[32];
    int result = 0;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0] && result == 0; i++)
        result = put_value(database, pairs[i][0], pairs[i][1]);
    for (size_t i = 0; key->program[i] != NULL && result == 0; i++)
        result = put_value(database, word_key(i, name, sizeof name), key->program[i]);
    return result;
}

static bool has_value(sqlite3 *database, const char *key, const char *value)
{
    char *found = experiments_value(database, key);
    bool same = found != NULL && value != NULL ? strcmp(found, value) == 0 : found == value;
    free(found);
    return same;
}

bool experiments_has_key(sqlite3 *database, const struct campaign_key *key)
{
    char name[32];
    bool same = has_value(database, "calls", key->calls) && has_value(database, "per", key->per) &&
                has_value(database, "folder", key->folder) &&
                has_value(database, "copy", key->copy ? "1" : "0") &&
                has_value(database, "stamp", key->stamp);
    for (size_t i = 0; same; i++) {
        same = has_value(database, word_key(i, name, sizeof name), key->program[i]);
        if (key->program[i] == NULL)
            break;
    }
    return same;
}

char **experiments_program(sqlite3 *database)
{
    char name[32], **words = NULL;
    size_t count = 0, room = 0;
    struct error error;
    for (;;) {
        if (array_reserve(&words, &room, count + 1, &error) != 0) {
            fail("out of memory");
            return NULL;
        }
        char *word = experiments_value(database, word_key(count, name, sizeof name));
        /* cppcheck-suppress nullPointer ; there is room now */
        words[count++] = word;
        if (word == NULL)
            break;
    }
    if (count > 1)
        return words;
    free(words);
    if (shortage_noted() == 0)
        fail("%s: holds no campaign: `fisql faults PROGRAM` makes one",
             sqlite3_db_filename(database, "main"));
    return NULL;
}

void experiments_program_release(char **program)
{
    for (size_t i = 0; program != NULL && program[i] != NULL; i++)
        free(program[i]);
    free(program);
}

/* ---- experiments ---- */

int experiments_pending(sqlite3 *database, int64_t limit, struct pending *pending)
{
    sqlite3_stmt *row = NULL;
    struct error error;
    if (sqlite3_prepare_v2(database,
                           "SELECT id, rule FROM experiments WHERE outcome IS NULL AND"
                           " (?1 = 0 OR id <= ?1) ORDER BY id",
                           -1, &row, NULL) != SQLITE_OK)
        return failed(database);
    sqlite3_bind_int64(row, 1, limit);
    while (sqlite3_step(row) == SQLITE_ROW) {
        char *rule = strdup((const char *)sqlite3_column_text(row, 1));
        if (rule == NULL ||
            array_reserve(&pending->items, &pending->room, pending->count + 1, &error) != 0) {
            free(rule);
            sqlite3_finalize(row);
            return fail("%s: out of memory", sqlite3_db_filename(database, "main"));
        }
        pending->items[pending->count++] = (struct pending_one){sqlite3_column_int64(row, 0), rule};
    }
    return sqlite3_finalize(row) == SQLITE_OK ? 0 : failed(database);
}

void pending_release(struct pending *pending)
{
    for (size_t i = 0; i < pending->count; i++)
        free(pending->items[i].rule);
    free(pending->items);
}

char *experiments_rule(sqlite3 *database, int64_t id)
{
    sqlite3_stmt *row = database_ask(database, "SELECT rule FROM experiments WHERE id = ?1");
    sqlite3_bind_int64(row, 1, id);
    return database_text(row);
}

static int put_functions(sqlite3 *database, int64_t id, sqlite3 *run)
{
    sqlite3_stmt *row = NULL, *put = NULL;
    int result = SQLITE_DONE;
    if (sqlite3_prepare_v2(run, experiments_sql_ran, -1, &row, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(database, experiments_sql_put_ran, -1, &put, NULL) != SQLITE_OK)
        result = SQLITE_ERROR;
    while (result == SQLITE_DONE && sqlite3_step(row) == SQLITE_ROW) {
        sqlite3_bind_int64(put, 1, id);
        for (int i = 0; i < 4; i++)
            sqlite3_bind_value(put, i + 2, sqlite3_column_value(row, i));
        result = sqlite3_step(put);
        sqlite3_reset(put);
    }
    sqlite3_finalize(put);
    if (sqlite3_finalize(row) != SQLITE_OK)
        return failed(run);
    return result == SQLITE_DONE ? 0 : failed(database);
}

static int put_verdict(sqlite3 *database, int64_t id, const struct verdict *verdict,
                       int64_t elapsed_ns, const char *log, sqlite3 *run)
{
    sqlite3_stmt *put = NULL;
    if (sqlite3_prepare_v2(database, experiments_sql_put, -1, &put, NULL) != SQLITE_OK)
        return failed(database);
    char *action =
        database_text(database_ask(run, "SELECT action FROM fault_rules ORDER BY id LIMIT 1"));
    sqlite3_bind_int64(put, 1, id);
    sqlite3_bind_text(put, 2, outcome_name(verdict->outcome), -1, SQLITE_STATIC);
    sqlite3_bind_text(put, 3, action, -1, SQLITE_STATIC);
    sqlite3_bind_int64(put, 4, verdict->signal);
    sqlite3_bind_int64(put, 5, verdict->exit_status);
    sqlite3_bind_int64(put, 6, verdict->leaked_bytes);
    sqlite3_bind_text(put, 7, verdict->found_at, -1, SQLITE_STATIC);
    sqlite3_bind_text(put, 8, verdict->found_location, -1, SQLITE_STATIC);
    sqlite3_bind_text(put, 9, verdict->detail, -1, SQLITE_STATIC);
    sqlite3_bind_int64(put, 10, elapsed_ns);
    sqlite3_bind_text(put, 11, log, -1, SQLITE_STATIC);
    int result = sqlite3_step(put);
    sqlite3_finalize(put);
    free(action);
    return result == SQLITE_DONE ? 0 : failed(database);
}

int experiments_put(const char *path, int64_t id, const struct verdict *verdict, int64_t elapsed_ns,
                    const char *log, sqlite3 *run)
{
    sqlite3 *database = NULL;
    int result = 0;
    if (!distrust_beside(path, true))
        return 2;
    if (open_to_write(path, &database) != SQLITE_OK ||
        sqlite3_exec(database, "PRAGMA synchronous = OFF; BEGIN IMMEDIATE", NULL, NULL, NULL) !=
            SQLITE_OK)
        result = failed(database);
    if (result == 0)
        result = put_verdict(database, id, verdict, elapsed_ns, log, run);
    if (result == 0 && verdict->outcome != OUTCOME_NOT_REACHED)
        result = put_functions(database, id, run);
    if (result == 0 && sqlite3_exec(database, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        result = failed(database);
    sqlite3_close(database);
    return result;
}
