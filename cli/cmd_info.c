/* fisql info: what the run was, and what is in its database. */
#include "base/shortage.h"
#include "cli/commands.h"
#include "cli/out/args.h"
#include "cli/run/database.h"
#include "cli/run/ending.h"
#include "cli/out/output.h"
#include "cli/run/run_view.h"
#include "cli/out/say.h"
#include "cli/out/text.h"
#include "formats/log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* cmd_info.sql */
extern const char cmd_info_sql_not_freed[], cmd_info_sql_processes[], cmd_info_sql_threads[],
    cmd_info_sql_modules[], cmd_info_sql_size[], cmd_info_sql_lacks[];

static const char help[] =
    "usage: fisql info [DB]\n"
    "\n"
    "Says what the run was (DB: run.db): the command, when and for how long it ran, its "
    "processes,\n"
    "threads and modules; whether the recording is complete; and how much the database holds.\n"
    "\n"
    "example: fisql info run.db\n";

static char *fact(sqlite3 *database, enum fisql_fact which)
{
    sqlite3_stmt *statement = database_ask(database, "SELECT value FROM run WHERE key = ?1");
    sqlite3_bind_text(statement, 1, fisql_fact_key(which), -1, SQLITE_STATIC);
    return database_text(statement);
}

static void print_line(const char *title, const char *text)
{
    printf("%-14s ", title);
    text_put(stdout, text);
    fputc('\n', stdout);
}

static void print_fact(sqlite3 *database, const char *title, enum fisql_fact which)
{
    char *value = fact(database, which);
    if (value != NULL && value[0] != '\0')
        print_line(title, value);
    free(value);
}

static void print_start(sqlite3 *database)
{
    char *value = fact(database, FISQL_FACT_RUN_STARTED), text[64] = "";
    time_t seconds = value != NULL ? (time_t)strtoll(value, NULL, 10) : 0;
    struct tm local;
    if (seconds > 0 && localtime_r(&seconds, &local) != NULL &&
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local) > 0)
        print_line("started", text);
    free(value);
}

/* Prints a line for each row with a value in its first column. The second one may have a process's
 * id: adds its ending. */
static int print_rows(sqlite3 *database, const char *title, const char *sql, long most)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK)
        return fail("the database cannot be read: %s", sqlite3_errmsg(database));
    long rows = 0;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        if (text == NULL || rows++ >= most)
            continue;
        printf("%-14s ", rows == 1 ? title : "");
        text_put(stdout, text);
        if (sqlite3_column_count(statement) > 1) {
            char ending[ENDING_TEXT_BYTES];
            ending_text(database, sqlite3_column_int64(statement, 1), ending, sizeof ending);
            fputs(": ", stdout);
            text_put(stdout, ending);
        }
        fputc('\n', stdout);
    }
    if (rows > most)
        printf("%-14s and %ld more\n", "", rows - most);
    return database_rows_end(statement, "what was recorded");
}

static int print_amounts(sqlite3 *database)
{
    static const struct {
        const char *title, *sql;
    } amounts[] = {
        {"calls", "SELECT sum(calls) FROM threads"},
        {"counted calls", "SELECT nullif(sum(counted_calls), 0) FROM threads"},
        {"functions", "SELECT count(*) FROM functions WHERE instrumented"},
        {"called", "SELECT count(*) FROM function_stats WHERE calls > 0"},
        {"contexts", "SELECT count(*) FROM frames"},
        {"allocations", "SELECT count(*) FROM allocs"},
        {"not freed", cmd_info_sql_not_freed},
        {"notes", "SELECT nullif(count(*), 0) FROM notes"},
        {"paused", "SELECT printf('%.3f ms in ', ns / 1e6) || n || CASE n WHEN 1 THEN ' pause' ELSE"
                   " ' pauses' END FROM (SELECT total(paused_ns) AS ns, count(*) AS n FROM pauses)"
                   " WHERE n > 0"},
        {"faults", "SELECT nullif(count(*), 0) FROM faults"},
        {"anomalies", "SELECT nullif(count(*), 0) FROM anomalies"},
    };
    int status = 0;
    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0] && status == 0; i++)
        status = print_rows(database, amounts[i].title, amounts[i].sql, 1);
    return status;
}

/* Says first where the program crashed: nothing matters more. */
static void print_crash(sqlite3 *database)
{
    char text[ENDING_TEXT_BYTES];
    int64_t killed = ending_next_killed(database, 0);
    if (killed == 0)
        return;
    ending_text(database, killed, text, sizeof text);
    print_line("crash", text);
}

static int64_t run_number(sqlite3 *database, const char *key)
{
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT value FROM run WHERE key = '%s'", key);
    return run_integer(database, sql, 0);
}

/* Prints how far times may be off after the recording's cost is taken out. */
static void print_error(sqlite3 *database)
{
    double cost = (double)run_number(database, "hook_cost_ns"),
           error = (double)run_number(database, "hook_cost_error_ns"),
           reference =
               (double)run_number(database, fisql_fact_key(FISQL_FACT_RUN_REFERENCE_CPU_NS)),
           adjusted = (double)run_integer(database, "SELECT sum(self_cpu_ns) FROM threads", 0);
    char texts[4][64];
    const double values[] = {error, adjusted, cost, reference};
    if (cost <= 0)
        return;
    for (int i = 0; i < 4; i++)
        output_time(values[i], texts[i], sizeof texts[i]);
    bool measured =
        run_integer(database, "SELECT value = 'reference' FROM run WHERE key = 'hook_cost_source'",
                    0) != 0;
    printf("%-14s adjusted times may be off by %s of %s; recording cost %s", "error", texts[0],
           texts[1], texts[2]);
    if (measured)
        printf(", for without it the program takes %s\n", texts[3]);
    else if (reference > 0)
        printf(", an estimate: the run without it took %s, which does not fit\n", texts[3]);
    else if (error * 10 > adjusted)
        puts(", an estimate: `fisql record --reference` measures it");
    else
        putchar('\n');
}

static int print_info(sqlite3 *database, const char *path)
{
    char text[128];
    print_crash(database);
    print_fact(database, "command", FISQL_FACT_RUN_COMMAND);
    print_fact(database, "folder", FISQL_FACT_RUN_FOLDER);
    print_fact(database, "host", FISQL_FACT_RUN_HOST);
    print_start(database);
    output_time((double)run_integer(database, "SELECT max(end_ns) - min(start_ns) FROM threads", 0),
                text, sizeof text);
    print_line("ran for", text);
    int status = print_rows(database, "processes", cmd_info_sql_processes, 10);
    if (status == 0)
        status = print_rows(database, "threads", cmd_info_sql_threads, 10);
    if (status == 0)
        status = print_rows(database, "modules", cmd_info_sql_modules, 20);
    if (status == 0)
        status = print_amounts(database);
    if (status != 0)
        return status;
    print_fact(database, "recorded by", FISQL_FACT_RUN_SOURCE);
    print_fact(database, "options", FISQL_FACT_RUN_OPTIONS);
    print_fact(database, "own malloc", FISQL_FACT_PROCESS_ALLOC_OWN_MALLOC);
    print_fact(database, "not followed", FISQL_FACT_RUN_NOT_FOLLOWED);
    print_fact(database, "clock", FISQL_FACT_PROCESS_CLOCK);
    char *inside = fact(database, FISQL_FACT_PROCESS_HOOK_INSIDE_PS),
         *outside = fact(database, FISQL_FACT_PROCESS_HOOK_OUTSIDE_PS);
    if (inside != NULL && outside != NULL && strcmp(inside, "0") != 0)
        printf("%-14s %.1f ns within a call, %.1f ns around it; taken out of totals\n", "hooks",
               strtod(inside, NULL) / 1000, strtod(outside, NULL) / 1000);
    print_error(database);
    free(inside);
    free(outside);
    output_bytes((double)run_integer(database, cmd_info_sql_size, 0), text, sizeof text);
    print_line("database", text);
    if (run_integer(database, "SELECT EXISTS (SELECT 1 FROM calls)", 0) == 0)
        print_line("", "without rows of calls (--summary, or none was recorded)");
    int64_t dropped =
        run_integer(database, "SELECT value FROM run WHERE key = 'ring_dropped_calls'", 0);
    if (dropped > 0)
        printf("%-14s no: the ring dropped %" PRId64 " earlier calls\n", "complete", dropped);
    int64_t earlier = run_integer(database, "SELECT value FROM run WHERE key = 'earlier_logs'", 0);
    bool continued = run_integer(database, "SELECT value FROM run WHERE key = 'continued'", 0) != 0;
    if (earlier > 0 || continued) {
        snprintf(text, sizeof text, "%" PRId64 " earlier, %s (record --rotate)", earlier,
                 continued ? "and at least one later" : "none later");
        print_line("other logs", text);
    }
    bool limited = run_integer(database, DATABASE_LIMITED, 0) != 0;
    status = print_rows(database, "left out", "SELECT text FROM recording_limits", 10);
    if (status != 0)
        return status;
    if (database_say_state(database, path) == 0 && dropped == 0 && earlier == 0 && !continued)
        print_line("complete", limited ? "but for what was left out" : "yes");
    else
        status = print_rows(database, "lacks", cmd_info_sql_lacks, 10);
    return status;
}

int cmd_info(int argc, char **argv)
{
    const char *path = "run.db";
    int status = args_file_alone("info", help, argc, argv, &path);
    if (status != ARGS_GO_ON)
        return status;
    sqlite3 *database = database_open(path);
    if (database == NULL)
        return 2;
    status = print_info(database, path);
    sqlite3_close(database);
    return shortage_noted() != 0 ? 2 : status;
}
