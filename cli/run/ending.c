/* How the processes of a run ended: see ending.h. */
#include "cli/run/ending.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* ending.sql */
extern const char ending_sql_innermost[];

static void signal_name(int64_t number, char *text, size_t size)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {{SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"},
                 {SIGILL, "SIGILL"},   {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"},
                 {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGKILL, "SIGKILL"},
                 {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
                 {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"},
                 {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"}, {SIGSYS, "SIGSYS"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].number == number) {
            snprintf(text, size, "%s", names[i].name);
            return;
        }
    }
    snprintf(text, size, "signal %lld", (long long)number);
}

static void put_place(sqlite3 *database, int64_t process_id, char *text, size_t size)
{
    sqlite3_stmt *row = NULL;
    text[0] = '\0';
    if (sqlite3_prepare_v2(database, ending_sql_innermost, -1, &row, NULL) == SQLITE_OK &&
        sqlite3_bind_int64(row, 1, process_id) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW &&
        sqlite3_column_text(row, 0) != NULL)
        snprintf(text, size, "%s in %.200s (%.100s)",
                 sqlite3_column_int64(row, 2) > 1 ? ", probably" : "",
                 (const char *)sqlite3_column_text(row, 0),
                 (const char *)sqlite3_column_text(row, 1));
    sqlite3_finalize(row);
}

int64_t ending_call(sqlite3 *database, int64_t process_id)
{
    sqlite3_stmt *row = NULL;
    int64_t call = 0;
    if (sqlite3_prepare_v2(database, ending_sql_innermost, -1, &row, NULL) == SQLITE_OK &&
        sqlite3_bind_int64(row, 1, process_id) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW)
        call = sqlite3_column_int64(row, 3);
    sqlite3_finalize(row);
    return call;
}

void ending_text(sqlite3 *database, int64_t process_id, char *text, size_t size)
{
    sqlite3_stmt *row = NULL;
    snprintf(text, size, "end not known");
    if (sqlite3_prepare_v2(database,
                           "SELECT coalesce(how_ended, ''), status, signal FROM processes"
                           " WHERE id = ?1",
                           -1, &row, NULL) == SQLITE_OK &&
        sqlite3_bind_int64(row, 1, process_id) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW) {
        const char *how = (const char *)sqlite3_column_text(row, 0);
        char name[32], place[ENDING_TEXT_BYTES];
        if (sqlite3_column_type(row, 2) != SQLITE_NULL) {
            signal_name(sqlite3_column_int64(row, 2), name, sizeof name);
            put_place(database, process_id, place, sizeof place);
            snprintf(text, size, "killed by %s%s", name, place);
        } else if (how != NULL && how[0] != '\0') {
            snprintf(text, size, "%.32s status %lld", how, (long long)sqlite3_column_int64(row, 1));
        }
    }
    sqlite3_finalize(row);
}

int64_t ending_next_killed(sqlite3 *database, int64_t after)
{
    sqlite3_stmt *row = NULL;
    int64_t id = 0;
    if (sqlite3_prepare_v2(database,
                           "SELECT min(id) FROM processes WHERE signal IS NOT NULL AND id > ?1", -1,
                           &row, NULL) == SQLITE_OK &&
        sqlite3_bind_int64(row, 1, after) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW)
        id = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return id;
}
