/* The outcome of a run with a fault: see verdict.h. */
#include "cli/faults/verdict.h"

#include "base/array.h"
#include "cli/out/say.h"
#include "cli/run/database.h"
#include "cli/run/ending.h"
#include "cli/run/run_view.h"
#include "queries/embedded.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* verdict.sql */
extern const char verdict_sql_place[];

const char *outcome_name(enum outcome outcome)
{
    static const char *const names[] = {
#define OUTCOME_NAME(name, text) text,
        OUTCOMES(OUTCOME_NAME)
#undef OUTCOME_NAME
    };
    return names[outcome];
}

bool outcome_is_wrong(enum outcome outcome)
{
    return outcome < OUTCOME_NOT_REACHED;
}

/* ---- what a database says ---- */

#define FREE_ERRORS_SQL "SELECT count(*) FROM free_errors"
#define LOSSES_SQL "SELECT count(*) FROM losses"

/* Lists of signals for SQL. */
#define TEXT_OF_NUMBER(number) #number
#define TEXT_OF(macro) TEXT_OF_NUMBER(macro)
#define AND(signal) ", " TEXT_OF(signal)
/* Programs end their children with these. */
#define SIGNALS_OF_OTHERS TEXT_OF(SIGKILL) AND(SIGTERM)
/* These end programs that did something wrong: they dump a core. */
#define SIGNALS_OF_FAULTS                                                                          \
    TEXT_OF(SIGQUIT)                                                                               \
    AND(SIGILL)                                                                                    \
    AND(SIGTRAP)                                                                                   \
    AND(SIGABRT) AND(SIGBUS) AND(SIGFPE) AND(SIGSEGV) AND(SIGXCPU) AND(SIGXFSZ) AND(SIGSYS)
#define KILLED_SQL "SELECT count(*) FROM processes WHERE signal IN (" SIGNALS_OF_FAULTS ")"

/* ---- leaks ---- */

/* Begins the query not-freed by place: place, bytes, stack, location. */
static sqlite3_stmt *leaks_begin(sqlite3 *database)
{
    const struct embedded_query *query = embedded_queries;
    sqlite3_stmt *rows = NULL;
    char *sql = NULL;
    while (query->name != NULL && strcmp(query->name, "not-freed") != 0)
        query++;
    if (query->name != NULL &&
        asprintf(
            &sql,
            "SELECT coalesce(location, '') || char(10) || kind || char(10) || stack, total(bytes),"
            " stack, location FROM (\n%s\n) GROUP BY 1 ORDER BY 1",
            query->text) >= 0)
        sqlite3_prepare_v2(database, sql, -1, &rows, NULL);
    free(sql);
    return rows;
}

static int leak_order(const void *a, const void *b)
{
    return strcmp(((const struct leak *)a)->place, ((const struct leak *)b)->place);
}

static struct leak *leak_find(const struct baseline *baseline, const char *place)
{
    struct leak wanted = {.place = (char *)(uintptr_t)place};
    return baseline->leaks_count == 0 ? NULL
                                      : bsearch(&wanted, baseline->leaks, baseline->leaks_count,
                                                sizeof wanted, leak_order);
}

static int leak_add(struct baseline *baseline, const char *place, int64_t bytes)
{
    struct error error;
    char *own = strdup(place);
    if (own == NULL || array_reserve(&baseline->leaks, &baseline->leaks_room,
                                     baseline->leaks_count + 1, &error) != 0) {
        free(own);
        return fail("out of memory");
    }
    baseline->leaks[baseline->leaks_count++] = (struct leak){own, bytes};
    /* cppcheck-suppress memleak ; the list has it */
    return 0;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int baseline_add(struct baseline *baseline, sqlite3 *database)
{
    sqlite3_stmt *row = leaks_begin(database);
    size_t before = baseline->leaks_count;
    int result = 0;
    if (row == NULL)
        return fail("blocks that were not freed cannot be read: %s", sqlite3_errmsg(database));
    while (result == 0 && sqlite3_step(row) == SQLITE_ROW) {
        const char *place = (const char *)sqlite3_column_text(row, 0);
        int64_t bytes = sqlite3_column_int64(row, 1);
        size_t all = baseline->leaks_count;
        baseline->leaks_count = before; /* search only the sorted ones */
        struct leak *known = leak_find(baseline, place != NULL ? place : "");
        baseline->leaks_count = all;
        if (known != NULL)
            known->bytes = larger(known->bytes, bytes);
        else
            result = leak_add(baseline, place != NULL ? place : "", bytes);
    }
    if (database_rows_end(row, "blocks that were not freed") != 0)
        return 2;
    if (baseline->leaks_count > 0)
        qsort(baseline->leaks, baseline->leaks_count, sizeof *baseline->leaks, leak_order);
    baseline->free_errors =
        larger(baseline->free_errors, run_integer(database, FREE_ERRORS_SQL, 0));
    baseline->killed = larger(baseline->killed, run_integer(database, KILLED_SQL, 0));
    baseline->losses = larger(baseline->losses, run_integer(database, LOSSES_SQL, 0));
    return result;
}

void baseline_release(struct baseline *baseline)
{
    for (size_t i = 0; i < baseline->leaks_count; i++)
        free(baseline->leaks[i].place);
    free(baseline->leaks);
    folder_names_release(&baseline->unstable);
}

static void put_text(char **into, const char *text)
{
    free(*into);
    *into = text != NULL ? strdup(text) : NULL;
}

/* Counts what was not freed beyond what the runs without faults leave; finds the stack of the
 * largest part. */
static void count_leaks(struct verdict *verdict, sqlite3 *database, const struct baseline *baseline)
{
    sqlite3_stmt *row = leaks_begin(database);
    int64_t sum = 0, most = 0;
    if (row == NULL) {
        database_failed(database);
        return;
    }
    while (sqlite3_step(row) == SQLITE_ROW) {
        const char *place = (const char *)sqlite3_column_text(row, 0);
        const struct leak *known = leak_find(baseline, place != NULL ? place : "");
        int64_t fresh = sqlite3_column_int64(row, 1) - (known != NULL ? known->bytes : 0);
        sum += fresh > 0 ? fresh : 0;
        if (fresh > most) {
            most = fresh;
            put_text(&verdict->found_at, (const char *)sqlite3_column_text(row, 2));
            put_text(&verdict->found_location, (const char *)sqlite3_column_text(row, 3));
        }
    }
    verdict->leaked_bytes = database_rows_end(row, "blocks that were not freed") == 0 ? sum : -1;
}

/* ---- where it happened ---- */

static void put_place(struct verdict *verdict, sqlite3 *database, int64_t frame_id, int64_t site_id)
{
    sqlite3_stmt *row = database_ask(database, verdict_sql_place);
    sqlite3_bind_int64(row, 1, frame_id);
    sqlite3_bind_int64(row, 2, site_id);
    if (database_row(row)) {
        put_text(&verdict->found_at, (const char *)sqlite3_column_text(row, 0));
        put_text(&verdict->found_location, (const char *)sqlite3_column_text(row, 1));
    }
    sqlite3_finalize(row);
}

/* Finds the innermost open call of the process that a signal ended. */
static void place_of_end(struct verdict *verdict, sqlite3 *database)
{
    int64_t process = run_integer(database,
                                  "SELECT id FROM processes WHERE signal IS NOT NULL ORDER BY"
                                  " signal IN (" SIGNALS_OF_OTHERS "), end_ns, id LIMIT 1",
                                  0);
    sqlite3_stmt *row = database_ask(database, "SELECT frame_id FROM calls WHERE id = ?1");
    sqlite3_bind_int64(row, 1, ending_call(database, process)); /* 0 = none */
    if (database_row(row))
        put_place(verdict, database, sqlite3_column_int64(row, 0), 0);
    sqlite3_finalize(row);
}

static void place_of_free(struct verdict *verdict, sqlite3 *database)
{
    sqlite3_stmt *row = database_ask(
        database, "SELECT frame_id, site_id, error FROM free_errors ORDER BY id DESC LIMIT 1");
    if (database_row(row)) {
        put_place(verdict, database, sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1));
        put_text(&verdict->detail, (const char *)sqlite3_column_text(row, 2));
    }
    sqlite3_finalize(row);
}

/* ---- the output ---- */

static bool output_differs(struct verdict *verdict, const struct trial *trial,
                           const struct baseline *baseline)
{
    char expected[PATH_MAX], actual[PATH_MAX];
    bool stable = true;
    for (size_t i = 0; i < baseline->unstable.count; i++)
        stable = stable && baseline->unstable.items[i][0] != 0;
    if (stable && !files_same(trial_path(trial->place, baseline->name, ".out", expected),
                              trial_path(trial->place, trial->name, ".out", actual))) {
        put_text(&verdict->detail, "standard output differs");
        return true;
    }
    struct folder_names names = {.items = NULL};
    folder_compare(trial_path(trial->place, baseline->name, ".work", expected),
                   trial_path(trial->place, trial->name, ".work", actual), &baseline->unstable,
                   true, &names);
    bool differs = names.count > 0;
    if (differs && asprintf(&verdict->detail, "the file %s differs",
                            mirror_shown(trial->place->mirror, names.items[0], expected)) < 0)
        verdict->detail = NULL;
    folder_names_release(&names);
    return differs;
}

/* ---- the verdict ---- */

static enum outcome of_status(struct verdict *verdict, const struct trial *trial,
                              const struct baseline *baseline, int expected_exit)
{
    bool success = verdict->exit_status == baseline->exit_status;
    if ((success || verdict->exit_status == 0) && output_differs(verdict, trial, baseline))
        return OUTCOME_WRONG_OUTPUT;
    if (verdict->leaked_bytes > 0)
        return OUTCOME_LEAK;
    if (success)
        return OUTCOME_UNCHANGED;
    return expected_exit < 0 || verdict->exit_status == expected_exit ? OUTCOME_CLEAN_ERROR
                                                                      : OUTCOME_OTHER_STATUS;
}

static enum outcome of_run(struct verdict *verdict, const struct trial *trial,
                           const struct trial_end *end, sqlite3 *database,
                           const struct baseline *baseline, int expected_exit)
{
    bool cut = end->timed_out || end->log_grew;
    if (run_integer(database, "SELECT count(*) FROM faults", 0) == 0)
        return OUTCOME_NOT_REACHED;
    if (run_integer(database, FREE_ERRORS_SQL, 0) > baseline->free_errors) {
        place_of_free(verdict, database);
        return OUTCOME_BAD_FREE; /* which the C library mostly answers by SIGABRT */
    }
    if (cut && end->hung) {
        place_of_end(verdict, database);
        put_text(&verdict->detail, end->timed_out
                                       ? "it did not end in time"
                                       : "it did many times what it does without the fault");
        return OUTCOME_HANG;
    }
    if (verdict->signal != 0 || run_integer(database, KILLED_SQL, 0) > baseline->killed) {
        place_of_end(verdict, database);
        if (verdict->signal == 0)
            verdict->signal = (int)run_integer(
                database,
                "SELECT signal FROM processes WHERE signal NOT IN (" SIGNALS_OF_OTHERS ") LIMIT 1",
                0);
        return OUTCOME_CRASH;
    }
    /* What open calls hold is no leak of a program that ended on purpose. */
    if (run_integer(database, "SELECT count(*) FROM calls WHERE ended >= 2", 0) == 0 &&
        run_integer(database, LOSSES_SQL, 0) <= baseline->losses)
        count_leaks(verdict, database, baseline);
    return of_status(verdict, trial, baseline, expected_exit);
}

void verdict_reach(struct verdict *verdict, const struct trial *trial, const struct trial_end *end,
                   sqlite3 *database, const struct baseline *baseline, int expected_exit)
{
    bool killed = WIFSIGNALED(end->status);
    *verdict = (struct verdict){.signal = killed ? WTERMSIG(end->status) : 0,
                                .exit_status = killed ? -1 : WEXITSTATUS(end->status),
                                .leaked_bytes = -1};
    verdict->outcome = of_run(verdict, trial, end, database, baseline, expected_exit);
    if (verdict->outcome > OUTCOME_LEAK || verdict->outcome == OUTCOME_WRONG_OUTPUT) {
        put_text(&verdict->found_at, NULL); /* there is no leak */
        put_text(&verdict->found_location, NULL);
    }
}

void verdict_release(struct verdict *verdict)
{
    free(verdict->found_at);
    free(verdict->found_location);
    free(verdict->detail);
}
