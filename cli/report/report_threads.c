/*
 * What each thread spent in each context, for the flame graph of one thread. The database adds
 * contexts up over all threads, so the calls are read once more, a thread after another. A
 * context's CPU time, from which the hooks' cost is taken out, is divided among its threads by the
 * time measured in each, less the thread's time off the processor; waiting is each thread's own.
 *
 * Nothing is written of a run with one thread alone, if rows were left out of the database, or if
 * reading so many would take long.
 */
#include "cli/report/report_parts.h"
#include "cli/out/say.h"
#include "cli/run/run_view.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 64, CALLS_MAX = 50000000, ROWS_BYTES_MAX = 250000 };

struct part {
    int64_t frame_id, raw_self_ns;
    struct spent spent;
};

/* report_threads.sql */
extern const char report_threads_sql_gaps[], report_threads_sql_threads[];

/* For one thread: its parts by the contexts' ids. */
struct thread_parts {
    struct part *items; /* items[id]; owned */
    int64_t count;
};

static int read_calls(struct report *report, struct thread_parts *parts, int64_t first,
                      int64_t last)
{
    sqlite3_stmt *statement =
        report_prepare(report, "SELECT frame_id, self_ns FROM calls WHERE id BETWEEN ?1 AND ?2");
    if (statement == NULL)
        return 2;
    sqlite3_bind_int64(statement, 1, first);
    sqlite3_bind_int64(statement, 2, last);
    int result;
    while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(statement, 0);
        if (id < 1 || id > parts->count)
            continue;
        run_add(&parts->items[id].raw_self_ns, sqlite3_column_int64(statement, 1));
        parts->items[id].spent.calls++;
    }
    sqlite3_finalize(statement);
    return result == SQLITE_DONE ? 0 : report_fail(report);
}

static int read_gaps(struct report *report, struct thread_parts *parts, int64_t thread_id)
{
    sqlite3_stmt *statement = report_prepare(report, report_threads_sql_gaps);
    if (statement == NULL)
        return 2;
    sqlite3_bind_int64(statement, 1, thread_id);
    int result;
    while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(statement, 0);
        if (id < 1 || id > parts->count)
            continue;
        parts->items[id].spent.wait_ns = sqlite3_column_int64(statement, 1);
        parts->items[id].spent.preempted_ns = sqlite3_column_int64(statement, 2);
    }
    sqlite3_finalize(statement);
    return result == SQLITE_DONE ? 0 : report_fail(report);
}

/* The thread's share of the context's CPU time. */
static int64_t cpu_of(const struct context *context, const struct part *part)
{
    double here =
        (double)part->raw_self_ns - (double)part->spent.wait_ns - (double)part->spent.preempted_ns;
    double all = (double)context->raw_self_ns - (double)context->self.wait_ns -
                 (double)context->self.preempted_ns;
    double share = all > 0 && here > 0 ? here / all : 0;
    return (int64_t)((double)context->self.cpu_ns * (share < 1 ? share : 1));
}

static int by_time(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    double x = (double)a->spent.cpu_ns + (double)a->spent.wait_ns,
           y = (double)b->spent.cpu_ns + (double)b->spent.wait_ns;
    if (x != y)
        return x < y ? 1 : -1;
    return a->frame_id < b->frame_id ? -1 : a->frame_id > b->frame_id;
}

/* [place of the context, cpu, wait, preempted, calls] as plain numbers, one after the other. */
static void write_parts(struct report *report, struct thread_parts *parts,
                        const struct contexts *contexts, long bytes_max)
{
    struct json *json = &report->json;
    struct part *items = parts->items;
    int64_t count = 0;
    struct spent rest = {0};
    for (int64_t id = 1; id <= parts->count; id++) {
        struct part part = items[id];
        const struct context *context = &contexts->items[id - 1];
        part.frame_id = id;
        part.spent.cpu_ns = cpu_of(context, &part);
        if (part.spent.calls > 0)
            items[count++] = part; /* count is smaller than id */
    }
    qsort(items, (size_t)count, sizeof *items, by_time);
    long begun = json->bytes;
    json_key(json, "data");
    json_open(json, '[');
    for (int64_t i = 0; i < count; i++) {
        const struct context *context = &contexts->items[items[i].frame_id - 1];
        if (!context->flame || json->bytes - begun >= bytes_max) {
            spent_add(&rest, &items[i].spent);
            continue;
        }
        const int64_t values[] = {context->place, items[i].spent.cpu_ns, items[i].spent.wait_ns,
                                  items[i].spent.preempted_ns, items[i].spent.calls};
        json_integers(json, values, sizeof values / sizeof values[0]);
    }
    json_close(json, ']');
    const int64_t sums[] = {rest.cpu_ns, rest.wait_ns, rest.preempted_ns, rest.calls};
    json_key(json, "rest");
    json_open(json, '[');
    json_integers(json, sums, sizeof sums / sizeof sums[0]);
    json_close(json, ']');
}

static int write_thread(struct report *report, sqlite3_stmt *threads,
                        const struct contexts *contexts, long bytes_max)
{
    struct thread_parts parts = {.count = contexts->count};
    parts.items = calloc((size_t)contexts->count + 1, sizeof *parts.items);
    if (parts.items == NULL)
        return fail("out of memory");
    int64_t thread_id = sqlite3_column_int64(threads, 0);
    int status = read_calls(report, &parts, sqlite3_column_int64(threads, 1),
                            sqlite3_column_int64(threads, 2));
    if (status == 0)
        status = read_gaps(report, &parts, thread_id);
    json_open(&report->json, '{');
    json_key(&report->json, "thread_id");
    json_integer(&report->json, thread_id);
    if (status == 0)
        write_parts(report, &parts, contexts, bytes_max);
    json_close(&report->json, '}');
    free(parts.items);
    return status;
}

int report_threads(struct report *report, const struct contexts *contexts)
{
    int64_t count =
        run_integer(report->database, "SELECT count(*) FROM threads WHERE calls > 0", 0);
    int64_t calls = run_integer(report->database, "SELECT sum(calls) FROM threads", 0);
    bool wanted = count > 1 && calls <= CALLS_MAX;
    if (count > THREADS_MAX)
        count = THREADS_MAX;
    sqlite3_stmt *statement = report_prepare(report, report_threads_sql_threads);
    if (statement == NULL)
        return 2;
    sqlite3_bind_int64(statement, 1, wanted ? count : 0);
    int result = SQLITE_DONE, status = 0;
    json_key(&report->json, "thread_frames");
    json_open(&report->json, '[');
    while (status == 0 && (result = sqlite3_step(statement)) == SQLITE_ROW)
        status = write_thread(report, statement, contexts, (long)(ROWS_BYTES_MAX / count));
    json_close(&report->json, ']');
    sqlite3_finalize(statement);
    return status != 0 || result == SQLITE_DONE ? status : report_fail(report);
}
