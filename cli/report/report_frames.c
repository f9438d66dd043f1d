/*
 * The calling context tree in a report. A run may have millions of contexts; the flame graph shows
 * those with the largest share of the CPU time, the waiting, the calls or the allocated bytes. A
 * context's share includes what lies below it, so the parents of chosen contexts are chosen, too.
 * Contexts that the other parts named (MARK_FRAMES) come with their parents, for stacks alone.
 *
 * Rows come in the order of ids, parents first; each names its parent by its place. Memory: some
 * 140 bytes for each frame of the database.
 */
#include "cli/report/report_parts.h"
#include "cli/out/say.h"

#include <stdlib.h>
#include <string.h>

/* report_frames.sql */
extern const char report_frames_sql_frames[];

enum { FLAME_FRAMES_MAX = 7000, FRAMES_MAX = 12000 };

static int load(struct report *report, struct contexts *contexts)
{
    sqlite3_stmt *statement = report_prepare(report, report_frames_sql_frames);
    if (statement == NULL)
        return 2;
    int result, status = 0;
    while (status == 0 && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(statement, 0),
                parent = sqlite3_column_int64(statement, 1);
        if (id != contexts->count + 1 || parent < 0 || parent >= id ||
            id > report->marks[MARK_FRAMES].ids_max) {
            status = fail("%s: its frames are not in the order of a load: load the log again",
                          report->path);
            break;
        }
        struct spent self = {.calls = sqlite3_column_int64(statement, 5),
                             .bytes = sqlite3_column_int64(statement, 6),
                             .cpu_ns = sqlite3_column_int64(statement, 7),
                             .wait_ns = sqlite3_column_int64(statement, 8),
                             .preempted_ns = sqlite3_column_int64(statement, 9)};
        contexts->items[contexts->count++] =
            (struct context){.parent = parent,
                             .function_id = sqlite3_column_int64(statement, 2),
                             .site_id = sqlite3_column_int64(statement, 3),
                             .raw_self_ns = sqlite3_column_int64(statement, 4),
                             .first_ns = sqlite3_column_int64(statement, 10),
                             .self = self,
                             .all = self,
                             .place = -1};
    }
    if (status == 0 && result != SQLITE_DONE)
        status = report_fail(report);
    sqlite3_finalize(statement);
    return status;
}

static double part_of(int64_t value, int64_t whole)
{
    return whole > 0 ? (double)value / (double)whole : 0;
}

static double largest_share(const struct spent *part, const struct spent *whole)
{
    const double shares[] = {
        part_of(part->cpu_ns, whole->cpu_ns), part_of(part->wait_ns, whole->wait_ns),
        part_of(part->calls, whole->calls), part_of(part->bytes, whole->bytes)};
    double most = 0;
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        most = shares[i] > most ? shares[i] : most;
    return most;
}

/* Adds what lies below to each context, and finds the shares. */
static void add_up(struct contexts *contexts)
{
    struct spent whole = {0};
    for (int64_t i = contexts->count - 1; i >= 0; i--) {
        const struct context *item = &contexts->items[i];
        spent_add(item->parent > 0 ? &contexts->items[item->parent - 1].all : &whole, &item->all);
    }
    for (int64_t i = 0; i < contexts->count; i++)
        contexts->items[i].share = largest_share(&contexts->items[i].all, &whole);
}

static int by_share(const void *left, const void *right)
{
    const struct context *a = *(struct context *const *)left, *b = *(struct context *const *)right;
    if (a->share != b->share)
        return a->share < b->share ? 1 : -1;
    return a < b ? -1 : a > b; /* a parent comes before its child, with the same share or more */
}

/* Marks the contexts for the flame graph. Returns how many, -1 without memory. */
static int64_t choose_flame(struct contexts *contexts, int64_t frames_max)
{
    struct context **order = malloc(((size_t)contexts->count + 1) * sizeof(struct context *));
    if (order == NULL)
        return -1;
    for (int64_t i = 0; i < contexts->count; i++)
        order[i] = &contexts->items[i];
    qsort(order, (size_t)contexts->count, sizeof(struct context *), by_share);
    int64_t chosen = 0;
    for (int64_t i = 0; i < contexts->count && chosen < frames_max; i++) {
        order[i]->flame = true;
        order[i]->place = 0;
        chosen++;
    }
    free(order);
    return chosen;
}

/* Takes in the marked contexts with their parents, as far as there is room. */
static void choose_stacks(const struct report *report, struct contexts *contexts, int64_t chosen)
{
    for (int64_t id = 1; id <= contexts->count; id++) {
        if (!report_is_marked(report, MARK_FRAMES, id))
            continue;
        int64_t missing = 0;
        for (int64_t at = id; at > 0 && contexts->items[at - 1].place < 0;
             at = contexts->items[at - 1].parent)
            missing++;
        if (chosen + missing > FRAMES_MAX * report->percent / 100)
            continue;
        chosen += missing;
        for (int64_t at = id; at > 0 && contexts->items[at - 1].place < 0;
             at = contexts->items[at - 1].parent)
            contexts->items[at - 1].place = 0;
    }
}

enum { STACK_COLUMNS = 5 }; /* the first ones: contexts that appear only in stacks have no more */

static const char *const columns[] = {
    "id",         "parent",      "function_id",      "site_id",   "flame",
    "cpu_ns",     "wait_ns",     "preempted_ns",     "calls",     "bytes",
    "all_cpu_ns", "all_wait_ns", "all_preempted_ns", "all_calls", "all_bytes",
    "first_ns"};
enum { COLUMNS_COUNT = sizeof columns / sizeof columns[0] };

static void write_context(struct json *json, const struct contexts *contexts, int64_t id)
{
    const struct context *item = &contexts->items[id - 1];
    const struct spent *self = &item->self, *all = &item->all;
    const int64_t values[COLUMNS_COUNT] = {
        id,
        item->parent > 0 ? contexts->items[item->parent - 1].place : -1,
        item->function_id,
        item->site_id,
        item->flame,
        self->cpu_ns,
        self->wait_ns,
        self->preempted_ns,
        self->calls,
        self->bytes,
        all->cpu_ns,
        all->wait_ns,
        all->preempted_ns,
        all->calls,
        all->bytes,
        item->first_ns};
    json_open(json, '[');
    json_integers(json, values, item->flame ? (size_t)COLUMNS_COUNT : (size_t)STACK_COLUMNS);
    json_close(json, ']');
}

static void write_contexts(struct report *report, struct contexts *contexts, int64_t flame_count)
{
    struct json *json = &report->json;
    int32_t place = 0;
    report_part_begin(json, "frames", columns, COLUMNS_COUNT);
    for (int64_t id = 1; id <= contexts->count; id++) {
        struct context *item = &contexts->items[id - 1];
        if (item->place < 0)
            continue;
        item->place = place++;
        report_mark(report, MARK_FUNCTIONS, item->function_id);
        report_mark(report, MARK_SITES, item->site_id);
        write_context(json, contexts, id);
    }
    report_part_end(json, contexts->count - flame_count);
}

int report_frames(struct report *report)
{
    struct contexts contexts = {0};
    contexts.items =
        malloc(((size_t)report->marks[MARK_FRAMES].ids_max + 1) * sizeof(struct context));
    if (contexts.items == NULL)
        return fail("out of memory");
    int status = load(report, &contexts);
    int64_t chosen = 0;
    if (status == 0) {
        add_up(&contexts);
        chosen = choose_flame(&contexts, FLAME_FRAMES_MAX * report->percent / 100);
        if (chosen < 0)
            status = fail("out of memory");
    }
    if (status == 0) {
        choose_stacks(report, &contexts, chosen);
        write_contexts(report, &contexts, chosen);
        status = report_own(report, &contexts);
    }
    if (status == 0 && report->percent == 100)
        status = report_threads(report, &contexts);
    free(contexts.items);
    return status;
}
