/*
 * The calling context tree in a report. A run may have millions of contexts; the flame graph shows
 * those that hold the largest share of the time, the calls or the allocated bytes. A context's
 * share includes what lies below it, so the parents of those chosen are chosen, too. To them come
 * the contexts that the other parts named (MARK_FRAMES), with their parents, for stacks alone.
 *
 * Written as rows in the order of ids, parents first, each naming its parent by its place.
 * Memory: some 64 bytes for each frame of the database.
 */
#include "cli/report/report.h"
#include "cli/run/run_view.h"
#include "cli/out/say.h"

#include <stdlib.h>
#include <string.h>

enum { FLAME_FRAMES_MAX = 8000, FRAMES_MAX = 16000 };

struct context {
    int64_t parent, function_id, site_id; /* parent: id, 0 = none */
    int64_t calls, self_ns;               /* its own */
    int64_t all_calls, all_ns, all_bytes; /* with what lies below */
    double share;                         /* the largest of the three shares */
    int32_t place;                        /* in what is written, -1 = not written */
    bool flame;
};

struct contexts {
    struct context *items; /* items[id - 1]; owned */
    int64_t count;
};

static int load(struct report *report, struct contexts *contexts)
{
    sqlite3_stmt *statement = report_prepare(
        report, "SELECT id, coalesce(parent_id, 0), function_id, coalesce(site_id, 0), calls,"
                "       self_ns, alloc_bytes FROM frames ORDER BY id");
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
        int64_t calls = sqlite3_column_int64(statement, 4);
        int64_t self_ns = sqlite3_column_int64(statement, 5);
        contexts->items[contexts->count++] =
            (struct context){.parent = parent,
                             .function_id = sqlite3_column_int64(statement, 2),
                             .site_id = sqlite3_column_int64(statement, 3),
                             .calls = calls,
                             .self_ns = self_ns,
                             .all_calls = calls,
                             .all_ns = self_ns,
                             .all_bytes = sqlite3_column_int64(statement, 6),
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

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Adds what lies below to each context, and finds the shares. */
static void add_up(struct contexts *contexts, struct context *whole)
{
    for (int64_t i = contexts->count - 1; i >= 0; i--) {
        const struct context *item = &contexts->items[i];
        struct context *above = item->parent > 0 ? &contexts->items[item->parent - 1] : whole;
        run_add(&above->all_calls, item->all_calls);
        run_add(&above->all_ns, item->all_ns);
        run_add(&above->all_bytes, item->all_bytes);
    }
    for (int64_t i = 0; i < contexts->count; i++) {
        struct context *item = &contexts->items[i];
        item->share = larger(larger(part_of(item->all_ns, whole->all_ns),
                                    part_of(item->all_calls, whole->all_calls)),
                             part_of(item->all_bytes, whole->all_bytes));
    }
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

static void write_contexts(struct report *report, struct contexts *contexts, int64_t flame_count)
{
    static const char *const columns[] = {"id",        "parent",   "function_id", "site_id",
                                          "flame",     "self_ns",  "calls",       "all_ns",
                                          "all_calls", "all_bytes"};
    struct json *json = &report->json;
    int32_t place = 0;
    json_key(json, "frames");
    json_open(json, '{');
    json_key(json, "columns");
    json_open(json, '[');
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        json_text(json, columns[i], 100);
    json_close(json, ']');
    json_key(json, "rows");
    json_open(json, '[');
    for (int64_t i = 0; i < contexts->count; i++) {
        struct context *item = &contexts->items[i];
        if (item->place < 0)
            continue;
        item->place = place++;
        report_mark(report, MARK_FUNCTIONS, item->function_id);
        report_mark(report, MARK_SITES, item->site_id);
        json_open(json, '[');
        const int64_t values[] = {i + 1,
                                  item->parent > 0 ? contexts->items[item->parent - 1].place : -1,
                                  item->function_id,
                                  item->site_id,
                                  item->flame,
                                  item->self_ns,
                                  item->calls,
                                  item->all_ns,
                                  item->all_calls,
                                  item->all_bytes};
        for (size_t k = 0; k < (item->flame ? sizeof values / sizeof values[0] : 5); k++)
            json_integer(json, values[k]);
        json_close(json, ']');
    }
    json_close(json, ']');
    json_key(json, "left_out");
    json_integer(json, contexts->count - flame_count);
    json_close(json, '}');
}

int report_frames(struct report *report)
{
    struct contexts contexts = {0};
    struct context whole = {0};
    contexts.items =
        malloc(((size_t)report->marks[MARK_FRAMES].ids_max + 1) * sizeof(struct context));
    if (contexts.items == NULL)
        return fail("out of memory");
    int status = load(report, &contexts);
    if (status == 0) {
        add_up(&contexts, &whole);
        int64_t chosen = choose_flame(&contexts, FLAME_FRAMES_MAX * report->percent / 100);
        if (chosen < 0)
            status = fail("out of memory");
        else {
            choose_stacks(report, &contexts, chosen);
            write_contexts(report, &contexts, chosen);
        }
    }
    free(contexts.items);
    return status;
}
