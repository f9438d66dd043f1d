/* How the processes of a run ended: see ending.h. */
#include "cli/run/ending.h"

#include "cli/run/database.h"
#include "formats/log.h"

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

/* A look-up with one number. */
static sqlite3_stmt *ask(sqlite3 *database, const char *sql, int64_t number)
{
    sqlite3_stmt *row = database_ask(database, sql);
    sqlite3_bind_int64(row, 1, number);
    return row;
}

static void put_place(sqlite3 *database, int64_t process_id, char *text, size_t size)
{
    sqlite3_stmt *row = ask(database, ending_sql_innermost, process_id);
    text[0] = '\0';
    if (database_row(row) && sqlite3_column_text(row, 0) != NULL)
        snprintf(text, size, "%s in %.200s (%.100s)",
                 sqlite3_column_int64(row, 2) > 1 ? ", probably" : "",
                 (const char *)sqlite3_column_text(row, 0),
                 (const char *)sqlite3_column_text(row, 1));
    sqlite3_finalize(row);
}

int64_t ending_call(sqlite3 *database, int64_t process_id)
{
    sqlite3_stmt *row = ask(database, ending_sql_innermost, process_id);
    int64_t call = database_row(row) ? sqlite3_column_int64(row, 3) : 0;
    sqlite3_finalize(row);
    return call;
}

void ending_text(sqlite3 *database, int64_t process_id, char *text, size_t size)
{
    sqlite3_stmt *row =
        ask(database, "SELECT coalesce(how_ended, ''), status, signal FROM processes WHERE id = ?1",
            process_id);
    snprintf(text, size, "end not known");
    if (database_row(row)) {
        const char *how = (const char *)sqlite3_column_text(row, 0);
        char name[32], place[ENDING_TEXT_BYTES];
        if (sqlite3_column_type(row, 2) != SQLITE_NULL) {
            signal_name(sqlite3_column_int64(row, 2), name, sizeof name);
            put_place(database, process_id, place, sizeof place);
            snprintf(text, size, "killed by %s%s", name, place);
        } else if (how != NULL && strcmp(how, FISQL_HOW_DETACH) == 0) {
            snprintf(text, size, "goes on: fisql record -p has left it");
        } else if (how != NULL && how[0] != '\0') {
            snprintf(text, size, "%.32s status %lld", how, (long long)sqlite3_column_int64(row, 1));
        }
    }
    sqlite3_finalize(row);
}

int64_t ending_next_killed(sqlite3 *database, int64_t after)
{
    return database_integer(
        ask(database, "SELECT min(id) FROM processes WHERE signal IS NOT NULL AND id > ?1", after),
        0);
}
