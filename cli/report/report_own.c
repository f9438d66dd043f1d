/*
 * The user's own code in a report: what functions spend if those of the system and of libraries
 * count as part of their nearest own caller. Those without an own caller are shown themselves.
 *
 * Each context finds the own one around it in one pass, because parents come before children.
 */
#include "cli/report/report_parts.h"
#include "cli/out/say.h"

#include <stdlib.h>

enum { OWN_BYTES_MAX = 100000 };

struct owner {
    int64_t function_id;
    struct spent spent;
};

/* Marks the functions that are not the user's own, a byte each, by id. *count: how many there
 * are. */
static int load_foreign(struct report *report, unsigned char *foreign, int64_t *count)
{
    sqlite3_stmt *statement = report_prepare(report, "SELECT id FROM functions WHERE own = 0");
    if (statement == NULL)
        return 2;
    int result;
    while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(statement, 0);
        if (id < 1 || id > report->marks[MARK_FUNCTIONS].ids_max)
            continue;
        foreign[id] = 1;
        (*count)++;
    }
    sqlite3_finalize(statement);
    return result == SQLITE_DONE ? 0 : report_fail(report);
}

/* Adds each context to its owner's, by functions' ids. around[id] becomes the function of the own
 * context that is, or surrounds, context id; 0 = none. */
static void fold(const struct contexts *contexts, const unsigned char *foreign, int64_t ids_max,
                 int64_t *around, struct owner *owners)
{
    for (int64_t id = 1; id <= contexts->count; id++) {
        const struct context *item = &contexts->items[id - 1];
        int64_t function_id = item->function_id;
        if (function_id < 1 || function_id > ids_max)
            function_id = 0;
        around[id] = function_id > 0 && !foreign[function_id] ? function_id : around[item->parent];
        int64_t owner = around[id] > 0 ? around[id] : function_id;
        owners[owner].function_id = owner;
        spent_add(&owners[owner].spent, &item->self);
    }
}

static int by_cpu(const void *left, const void *right)
{
    const struct owner *a = left, *b = right;
    if (a->spent.cpu_ns != b->spent.cpu_ns)
        return a->spent.cpu_ns < b->spent.cpu_ns ? 1 : -1;
    return a->function_id < b->function_id ? -1 : a->function_id > b->function_id;
}

static void write_owners(struct report *report, const struct owner *owners, int64_t count)
{
    struct json *json = &report->json;
    long begun = json->bytes, bytes_max = OWN_BYTES_MAX / 100 * report->percent;
    long long left_out = 0;
    for (int64_t i = 0; i < count; i++) {
        const struct owner *owner = &owners[i];
        if (owner->function_id == 0)
            continue;
        if (json->bytes - begun >= bytes_max) {
            left_out++;
            continue;
        }
        report_mark(report, MARK_FUNCTIONS, owner->function_id);
        json_open(json, '[');
        const int64_t values[] = {owner->function_id, owner->spent.cpu_ns, owner->spent.wait_ns,
                                  owner->spent.preempted_ns, owner->spent.bytes};
        json_integers(json, values, sizeof values / sizeof values[0]);
        json_close(json, ']');
    }
    report_part_end(json, left_out);
}

int report_own(struct report *report, const struct contexts *contexts)
{
    int64_t ids_max = report->marks[MARK_FUNCTIONS].ids_max, count = 0;
    unsigned char *foreign = calloc((size_t)ids_max + 1, 1);
    int64_t *around = calloc((size_t)contexts->count + 1, sizeof *around);
    struct owner *owners = calloc((size_t)ids_max + 1, sizeof *owners);
    int status = foreign != NULL && around != NULL && owners != NULL ? 0 : fail("out of memory");
    if (status == 0)
        status = load_foreign(report, foreign, &count);
    if (status == 0) {
        static const char *const columns[] = {"function_id", "cpu_ns", "wait_ns", "preempted_ns",
                                              "bytes"};
        report_part_begin(&report->json, "own", columns, sizeof columns / sizeof columns[0]);
        if (count > 0)
            fold(contexts, foreign, ids_max, around, owners);
        qsort(owners, (size_t)ids_max + 1, sizeof *owners, by_cpu);
        write_owners(report, owners, count > 0 ? ids_max + 1 : 0);
    }
    free(owners);
    free(around);
    free(foreign);
    return status;
}
