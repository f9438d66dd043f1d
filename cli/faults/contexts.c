/* Where calls that can fail are made: see contexts.h. */
#include "cli/faults/contexts.h"

#include "base/array.h"
#include "cli/out/say.h"
#include "cli/run/database.h"
#include "cli/run/run_view.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* contexts.sql */
extern const char contexts_sql_chosen[], contexts_sql_put[], contexts_sql_parents[],
    contexts_sql_nameless[];

/* A call that is to fail, with the way to it: contexts from the outermost on, then site and
 * rule. */
struct context {
    int64_t fault_id;
    int64_t *way;
    size_t way_count;
};

struct list {
    struct context *items;
    size_t count, room;
};

static int failed(sqlite3 *database)
{
    return fail("the contexts cannot be read: %s", sqlite3_errmsg(database));
}

static int out_of_memory(void)
{
    return fail("the contexts cannot be read: out of memory");
}

/* ---- the ways ---- */

/* Each context's parent, by id; 0 = none. Ids are above their parents'
 * (database_check_frames()). */
static int read_parents(sqlite3 *database, int64_t **parents, size_t *count)
{
    sqlite3_stmt *row = NULL;
    struct error error;
    size_t room = 0;
    if (database_rows(database, contexts_sql_parents, "the contexts", &row) != 0)
        return 2;
    while (sqlite3_step(row) == SQLITE_ROW) {
        size_t id = (size_t)sqlite3_column_int64(row, 0);
        if (array_reach(parents, &room, id, &error) != 0)
            return database_rows_short(row);
        (*parents)[id] = sqlite3_column_int64(row, 1);
        *count = id + 1;
    }
    return database_rows_end(row, "the contexts");
}

static int find_way(struct context *context, const int64_t *parents, size_t count, int64_t frame,
                    int64_t site, int64_t rule)
{
    size_t depth = 0, at;
    for (int64_t id = frame; id > 0 && (size_t)id < count; id = parents[id])
        depth++;
    context->way = calloc(depth + 2, sizeof *context->way);
    if (context->way == NULL)
        return out_of_memory();
    context->way_count = depth + 2;
    context->way[depth] = site;
    context->way[depth + 1] = rule;
    at = depth;
    for (int64_t id = frame; at > 0; id = parents[id])
        context->way[--at] = id;
    return 0;
}

static int read_ways(sqlite3 *database, struct list *list)
{
    sqlite3_stmt *row = NULL;
    int64_t *parents = NULL;
    size_t count = 0;
    struct error error;
    int result = read_parents(database, &parents, &count);
    if (result == 0)
        result = database_rows(database,
                               "SELECT id, frame_id, site_id, rule_id FROM temp.chosen ORDER BY id",
                               "the contexts", &row);
    while (result == 0 && sqlite3_step(row) == SQLITE_ROW) {
        if (array_reserve(&list->items, &list->room, list->count + 1, &error) != 0) {
            result = out_of_memory();
            break;
        }
        struct context *context = &list->items[list->count++];
        *context = (struct context){.fault_id = sqlite3_column_int64(row, 0)};
        result = find_way(context, parents, count, sqlite3_column_int64(row, 1),
                          sqlite3_column_int64(row, 2), sqlite3_column_int64(row, 3));
    }
    free(parents);
    return sqlite3_finalize(row) != SQLITE_OK && result == 0 ? failed(database) : result;
}

/* ---- the order ---- */

static int way_order(const void *a, const void *b)
{
    const struct context *one = a, *other = b;
    size_t count = one->way_count < other->way_count ? one->way_count : other->way_count;
    for (size_t i = 0; i < count; i++)
        if (one->way[i] != other->way[i])
            return one->way[i] < other->way[i] ? -1 : 1;
    return one->way_count != other->way_count ? (one->way_count < other->way_count ? -1 : 1)
           : one->fault_id < other->fault_id  ? -1
                                              : one->fault_id > other->fault_id;
}

/* The step of a way at a depth; 0 behind its end. */
static int64_t step_at(const struct context *context, size_t depth)
{
    return depth < context->way_count ? context->way[depth] : 0;
}

/* Puts `count` ways from the sorted `from`, all alike down to `depth`, into `to` in the order of
 * their runs: where ways part, one of each branch in turn, so that neighbours share few steps.
 * Recursion goes as deep as ways part. */
static void spread(const struct context *from, struct context *to, size_t count, size_t depth)
{
    while (count > 1 && step_at(&from[0], depth) == step_at(&from[count - 1], depth) &&
           depth < from[0].way_count)
        depth++;
    if (count <= 2 || depth >= from[0].way_count) {
        memcpy(to, from, count * sizeof *to);
        return;
    }
    struct context *parts = malloc(count * sizeof *parts);
    size_t *ends = malloc(count * sizeof *ends), *next = malloc(count * sizeof *next), branches = 0;
    if (parts == NULL || ends == NULL || next == NULL) {
        memcpy(to, from, count * sizeof *to); /* any order is right */
    } else {
        for (size_t i = 0, end; i < count; i = end) {
            for (end = i + 1;
                 end < count && step_at(&from[end], depth) == step_at(&from[i], depth);)
                end++;
            spread(from + i, parts + i, end - i, depth + 1);
            next[branches] = i;
            ends[branches++] = end;
        }
        for (size_t used = 0; used < count;)
            for (size_t i = 0; i < branches; i++)
                if (next[i] < ends[i])
                    to[used++] = parts[next[i]++];
    }
    free(parts);
    free(ends);
    free(next);
}

/* ---- the whole ---- */

static int put_experiments(sqlite3 *database, const struct list *list)
{
    sqlite3_stmt *put = NULL;
    if (sqlite3_prepare_v2(database, contexts_sql_put, -1, &put, NULL) != SQLITE_OK)
        return failed(database);
    int result = SQLITE_DONE;
    for (size_t i = 0; i < list->count && result == SQLITE_DONE; i++) {
        sqlite3_bind_int64(put, 1, (int64_t)i + 1);
        sqlite3_bind_int64(put, 2, list->items[i].fault_id);
        result = sqlite3_step(put);
        sqlite3_reset(put);
    }
    sqlite3_finalize(put);
    return result == SQLITE_DONE ? 0 : failed(database);
}

static int choose(sqlite3 *database, const char *per)
{
    sqlite3_stmt *make = NULL;
    int result = sqlite3_prepare_v2(database, contexts_sql_chosen, -1, &make, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_bind_text(make, 1, per, -1, SQLITE_STATIC);
    if (result == SQLITE_OK)
        result = sqlite3_step(make) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
    sqlite3_finalize(make);
    if (result == SQLITE_OK)
        result =
            sqlite3_exec(database, "CREATE INDEX temp.chosen_id ON chosen(id)", NULL, NULL, NULL);
    return result == SQLITE_OK ? 0 : failed(database);
}

int contexts_to_experiments(sqlite3 *database, const char *per, struct contexts_report *report)
{
    struct list list = {.items = NULL};
    int result = database_check_frames(database);
    if (result == 0)
        result = choose(database, per);
    report->outside =
        run_integer(database, "SELECT count(*) FROM main.faults WHERE frame_id IS NULL", 0);
    report->nameless = run_integer(database, contexts_sql_nameless, 0);
    if (result == 0)
        result = read_ways(database, &list);
    struct context *ordered = malloc((list.count + 1) * sizeof *ordered);
    if (result == 0 && ordered == NULL)
        result = out_of_memory();
    if (result == 0 && list.count > 0) {
        qsort(list.items, list.count, sizeof *list.items, way_order);
        spread(list.items, ordered, list.count, 0);
        const struct list in_order = {ordered, list.count, 0};
        result = put_experiments(database, &in_order);
    }
    if (result == 0 &&
        sqlite3_exec(database, "DELETE FROM main.faults; DELETE FROM main.fault_rules", NULL, NULL,
                     NULL) != SQLITE_OK)
        result = failed(database);
    report->experiments = (int64_t)list.count;
    for (size_t i = 0; i < list.count; i++)
        free(list.items[i].way);
    free(list.items);
    free(ordered);
    return result;
}
