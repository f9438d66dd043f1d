/* Profiles of threads: see summary.h. */
#include "cli/record/summary.h"

#include "base/memory_text.h"
#include "cli/out/cache_folder.h"
#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/out/text.h"
#include "cli/run/database.h"
#include "live/live_source.h"
#include "loader/loader.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 100000000
#define NICENESS 5
#define FUNCTIONS_SHOWN 6 /* of ten lines: three lines before, one behind */
#define THREADS_SHOWN 16  /* of all threads */
#define TITLE "fisql:   "

/* summary.sql */
extern const char summary_sql_threads[], summary_sql_functions[], summary_sql_waits[],
    summary_sql_allocs[];

bool summary_parse(struct record_summary *summary, const char *word)
{
    static const struct {
        const char *name;
        int number;
    } signals[] = {{"HUP", SIGHUP},   {"USR1", SIGUSR1}, {"USR2", SIGUSR2},
                   {"ALRM", SIGALRM}, {"URG", SIGURG},   {"WINCH", SIGWINCH}};
    const char *name = strncmp(word, "SIG", 3) == 0 ? word + 3 : word;
    if (strcmp(word, "thread-exit") == 0)
        return summary->at_thread_exit = true;
    if (strcmp(word, "exit") == 0)
        return summary->at_exit = true;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (strcmp(name, signals[i].name) == 0)
            summary->signal = signals[i].number;
    return summary->signal != 0;
}

/* ---- ten lines ---- */

static const char *time_text(sqlite3_stmt *row, int column, char text[32])
{
    output_time((double)sqlite3_column_int64(row, column), text, 32);
    return text;
}

static void put_name(FILE *out, sqlite3_stmt *row, int column)
{
    text_put(out, (const char *)sqlite3_column_text(row, column));
}

static void put_head(FILE *out, sqlite3_stmt *thread)
{
    char lived[32], computed[32], waited[32], aside[32];
    fputs("fisql: thread ", out);
    put_name(out, thread, 1);
    fprintf(out, " (%d) of process %d: %s, of which it computed %s, waited %s, was put aside %s; ",
            sqlite3_column_int(thread, 2), sqlite3_column_int(thread, 3),
            time_text(thread, 4, lived), time_text(thread, 5, computed),
            time_text(thread, 6, waited), time_text(thread, 7, aside));
    fprintf(out, "%" PRId64 " calls\n", (int64_t)sqlite3_column_int64(thread, 8));
}

static sqlite3_stmt *ask(sqlite3 *database, const char *sql, int64_t thread)
{
    sqlite3_stmt *row = database_ask(database, sql);
    sqlite3_bind_int64(row, 1, thread);
    return row;
}

static int put_waits(FILE *out, sqlite3 *database, int64_t thread)
{
    char text[32];
    sqlite3_stmt *row = ask(database, summary_sql_waits, thread);
    if (database_row(row)) {
        fprintf(out, TITLE "waited most in ");
        put_name(out, row, 1);
        fprintf(out, ": %s in %" PRId64 " wait%s\n", time_text(row, 0, text),
                (int64_t)sqlite3_column_int64(row, 2),
                sqlite3_column_int64(row, 2) == 1 ? "" : "s");
    }
    return database_rows_end(row, "a thread's waits");
}

static int put_allocs(FILE *out, sqlite3 *database, int64_t thread)
{
    char text[32];
    sqlite3_stmt *row = ask(database, summary_sql_allocs, thread);
    if (database_row(row) && sqlite3_column_int64(row, 0) > 0) {
        output_bytes((double)sqlite3_column_int64(row, 1), text, sizeof text);
        fprintf(out, TITLE "allocated %" PRId64 " blocks, %s; %" PRId64 " are not freed\n",
                (int64_t)sqlite3_column_int64(row, 0), text, (int64_t)sqlite3_column_int64(row, 2));
    }
    return database_rows_end(row, "a thread's blocks");
}

static int put_functions(FILE *out, sqlite3 *database, int64_t thread)
{
    char text[32];
    int64_t shown = 0, count = 0;
    sqlite3_stmt *row = ask(database, summary_sql_functions, thread);
    while (shown < FUNCTIONS_SHOWN && database_row(row)) {
        double all = (double)sqlite3_column_int64(row, 4);
        double own = (double)sqlite3_column_int64(row, 0);
        fprintf(out, TITLE "%10s %5.1f%%  ", time_text(row, 0, text),
                all > 0 ? 100 * own / all : 0);
        put_name(out, row, 2);
        fputs(" (", out);
        put_name(out, row, 3);
        fprintf(out, "), %" PRId64 " call%s\n", (int64_t)sqlite3_column_int64(row, 1),
                sqlite3_column_int64(row, 1) == 1 ? "" : "s");
        count = sqlite3_column_int64(row, 5);
        shown++;
    }
    if (count > shown)
        fprintf(out, TITLE "and %" PRId64 " other function%s\n", count - shown,
                count - shown == 1 ? "" : "s");
    return database_rows_end(row, "a thread's functions");
}

/* Prints the threads: that one, or if pid is 0 all of them. */
static int show(sqlite3 *database, uint32_t pid, uint32_t tid)
{
    char *text = NULL;
    size_t size = 0;
    int64_t shown = 0, more = 0, most = pid != 0 ? 1 : THREADS_SHOWN;
    FILE *out = memory_text_open(&text, &size);
    if (out == NULL)
        return fail("--summary-at: out of memory");
    sqlite3_stmt *thread = ask(database, summary_sql_threads, pid);
    sqlite3_bind_int64(thread, 2, tid);
    int status = 0;
    while (status == 0 && database_row(thread)) {
        if (shown == most) {
            more++;
            continue;
        }
        int64_t id = sqlite3_column_int64(thread, 0);
        put_head(out, thread);
        status = put_allocs(out, database, id);
        status = status == 0 ? put_waits(out, database, id) : status;
        status = status == 0 ? put_functions(out, database, id) : status;
        shown++;
    }
    int ended = database_rows_end(thread, "the threads");
    if (pid == 0 && more > 0)
        fprintf(out, "fisql: and %" PRId64 " more threads that computed less\n", more);
    if (fclose(out) == 0)
        say_through(text, size);
    free(text);
    return status != 0 ? status : ended;
}

/* ---- the database ---- */

static int load(const struct summary *summary, const char *path, bool running)
{
    char cache[PATH_MAX];
    struct load_report report;
    struct error error;
    struct live_source source;
    struct load_options options = {.cache_dir = cache_folder(cache, sizeof cache),
                                   .calls = LOAD_CALLS_NONE};
    if (running && live_source_open(&source, summary->live->memory, "the live area", &error) == 0)
        options.live = &source;
    int status = fisql_load(summary->options->log, path, &options, &report, &error);
    load_report_release(&report);
    return status != 2 ? 0 : fail("--summary-at: %s", error.text);
}

/* Loads the log and shows the threads that ended, and all of them if `all`. */
static void show_now(struct summary *summary, bool all, bool running)
{
    char folder[PATH_MAX], path[PATH_MAX + 16];
    const char *temporary = getenv("TMPDIR");
    sqlite3 *database = NULL;
    snprintf(folder, sizeof folder, "%s/fisql-XXXXXX",
             temporary != NULL && *temporary ? temporary : "/tmp");
    if (mkdtemp(folder) == NULL) {
        fail("--summary-at: %s: no folder can be made there (TMPDIR)", folder);
        return;
    }
    snprintf(path, sizeof path, "%s/now.db", folder);
    int status = load(summary, path, running);
    if (status == 0 && sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK) {
        for (uint32_t i = 0; i < summary->ended_count && status == 0; i++)
            status = show(database, summary->ended[i].pid, summary->ended[i].tid);
        if (all && status == 0)
            show(database, 0, 0);
    }
    sqlite3_close(database);
    unlink(path);
    rmdir(folder);
    if (summary->left_out > 0)
        note("--summary-at: %u more threads ended meanwhile: the log has them", summary->left_out);
    summary->ended_count = summary->left_out = 0;
}

/* ---- looking ---- */

static void on_ended(void *context, uint32_t pid, uint32_t tid)
{
    struct summary *summary = context;
    if (summary->ended_count == SUMMARY_ENDED_MAX) {
        summary->left_out++;
        return;
    }
    summary->ended[summary->ended_count].pid = pid;
    summary->ended[summary->ended_count++].tid = tid;
}

static void look(struct summary *summary, bool all, bool running)
{
    uint32_t asked = __atomic_load_n(summary->asked, __ATOMIC_ACQUIRE);
    if (summary->options->summary.at_thread_exit)
        live_ends_read(&summary->ends, on_ended, summary);
    all |= asked != summary->answered;
    summary->answered = asked;
    if (all || summary->ended_count > 0)
        show_now(summary, all, running);
}

static void *watch(void *context)
{
    struct summary *summary = context;
    const struct timespec pause = {0, LOOK_NS};
    setpriority(PRIO_PROCESS, 0, NICENESS); /* this thread's, and those that it starts */
    while (__atomic_load_n(&summary->stop, __ATOMIC_ACQUIRE) == 0) {
        look(summary, false, true);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static bool is_wanted(const struct record_summary *summary)
{
    return summary->at_thread_exit || summary->at_exit || summary->signal != 0;
}

void summary_start(struct summary *summary, struct live *live, const struct record_options *options,
                   const uint32_t *asked)
{
    *summary = (struct summary){.live = live,
                                .options = options,
                                .asked = asked,
                                .ends = {.log = live->log, .run_id = live->area->run_id}};
    if (options->summary.at_thread_exit || options->summary.signal != 0)
        summary->started = pthread_create(&summary->thread, NULL, watch, summary) == 0;
}

void summary_stop(struct summary *summary)
{
    __atomic_store_n(&summary->stop, 1, __ATOMIC_RELEASE);
    if (summary->started)
        pthread_join(summary->thread, NULL);
    summary->started = false;
}

void summary_end(struct summary *summary)
{
    if (is_wanted(&summary->options->summary))
        look(summary, summary->options->summary.at_exit, false);
}
