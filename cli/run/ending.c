/* How the processes of a run ended: see ending.h. */
#include "cli/run/ending.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

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

/* A call that is open at its thread's end is the last call that was entered or one around it. The thread
 * that had the last event is the likeliest. */
static const char innermost_sql[] =
    "WITH RECURSIVE up(thread_id, event_ns, id, ended, parent_id, frame_id) AS ("
    "  SELECT t.id, c.enter_ns + CASE c.ended WHEN 2 THEN 0 ELSE c.duration_ns END, c.id, c.ended,"
    "         c.parent_id, c.frame_id"
    "  FROM threads t CROSS JOIN calls c ON c.id = t.last_call_id WHERE t.process_id = ?1"
    "  UNION ALL"
    "  SELECT u.thread_id, c.enter_ns + CASE c.ended WHEN 2 THEN 0 ELSE c.duration_ns END, c.id,"
    "         c.ended, c.parent_id, c.frame_id"
    "  FROM up u CROSS JOIN calls c ON c.id = u.parent_id"
    "  WHERE u.ended <> 2 AND u.parent_id < u.id),"
    " last AS (SELECT thread_id, max(event_ns) AS ns FROM up GROUP BY thread_id),"
    " open AS (SELECT thread_id, id, frame_id FROM up WHERE ended = 2)"
    " SELECT f.name, f.location, (SELECT count(*) FROM open), open.id"
    " FROM open JOIN last ON last.thread_id = open.thread_id"
    " JOIN frames fr ON fr.id = open.frame_id"
    " JOIN function_details f ON f.id = fr.function_id"
    " ORDER BY last.ns DESC, open.thread_id LIMIT 1";

static void put_place(sqlite3 *database, int64_t process_id, char *text, size_t size)
{
    sqlite3_stmt *row = NULL;
    text[0] = '\0';
    if (sqlite3_prepare_v2(database, innermost_sql, -1, &row, NULL) == SQLITE_OK &&
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
    if (sqlite3_prepare_v2(database, innermost_sql, -1, &row, NULL) == SQLITE_OK &&
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
