/* The ranking: see rank.h. What takes most is tried first, whole; what saves most of that, in part. */
#include "cli/whatif/rank.h"

#include <stdlib.h>

#include "base/array.h"
#include "cli/out/say.h"
#include "formats/log.h"

const int rank_levels[RANK_LEVELS] = {10, 50, 100};

#define TRIED_FACTOR 3 /* candidates of each kind that are tried for one row */
#define SHARE_MIN 2000 /* what takes less than one of so many parts of the run is not tried */

static int by_own(const void *left, const void *right)
{
    const struct rank_row *a = left, *b = right;
    if (a->own_ns != b->own_ns)
        return a->own_ns > b->own_ns ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static int by_saved(const void *left, const void *right)
{
    const struct rank_row *a = left, *b = right;
    double a_ns = a->saved_ns[RANK_LEVELS - 1], b_ns = b->saved_ns[RANK_LEVELS - 1];
    if (a_ns != b_ns)
        return a_ns > b_ns ? -1 : 1;
    return a->kind != b->kind ? (a->kind < b->kind ? -1 : 1) : by_own(left, right);
}

/* Adds those of one kind that take most. */
static int add_kind(const struct graph *graph, enum rank_kind kind, double base_ns, size_t most,
                    struct rank *rank)
{
    size_t before = rank->count;
    uint32_t from = kind == RANK_LOCK ? 0 : CLASSES_FIRST;
    size_t to = kind == RANK_LOCK ? graph->locks_count : graph->classes_count;
    for (uint32_t i = from; i < to; i++) {
        struct rank_row row = {.kind = kind, .index = i};
        if (kind == RANK_LOCK)
            row.own_ns = graph->locks[i].kind <= FISQL_LOCK_KIND_SPIN ? graph->locks[i].wait_ns : 0;
        else
            row.own_ns =
                kind == RANK_FUNCTION ? graph->classes[i].self_ns : graph->classes[i].wait_ns;
        if (kind == RANK_FUNCTION)
            row.change_ns = (double)(graph->classes[i].raw_ns - graph->classes[i].self_ns);
        if (row.own_ns > 0 && (double)row.own_ns * SHARE_MIN >= base_ns &&
            array_add(&rank->rows, &rank->count, &rank->capacity, row, NULL) != 0)
            return fail("out of memory");
    }
    array_sort(rank->rows + before, rank->count - before, by_own);
    if (rank->count - before > most)
        rank->count = before + most;
    return 0;
}

/* How much is saved if the row's function, lock or wait is so many percent faster. */
static int try_row(const struct replay_plan *plan, double base_ns, struct rank_row *row, int level)
{
    const struct graph *graph = plan->graph;
    struct change change = {.text = "", .speedup = 1};
    struct replay replay;
    double left = 1 - rank_levels[level] / 100.0;
    change.functions = calloc(graph->view->functions_count + 1, sizeof *change.functions);
    change.locks = calloc(graph->locks_count + 1, sizeof *change.locks);
    if (change.functions == NULL || change.locks == NULL) {
        free(change.functions);
        free(change.locks);
        return fail("out of memory");
    }
    if (row->kind == RANK_LOCK)
        change.locks[row->index] = true;
    else
        change.functions[graph->classes[row->index].function] = true;
    change.kind = row->kind == RANK_LOCK       ? CHANGE_UNLOCK
                  : row->kind == RANK_FUNCTION ? CHANGE_SCALE
                                               : CHANGE_WAIT;
    change.value = row->kind == RANK_LOCK ? rank_levels[level] : left;
    struct replay_plan changed = *plan;
    const struct change *const list[] = {&change};
    changed.changes = list;
    changed.changes_count = 1;
    int status = replay_run(&changed, false, &replay);
    row->saved_ns[level] = base_ns - replay.end_ns;
    free(change.functions);
    free(change.locks);
    return status;
}

int rank_find(const struct replay_plan *plan, double base_ns, size_t rows, struct rank *rank)
{
    int status = 0;
    for (int kind = RANK_FUNCTION; kind <= RANK_WAIT && status == 0; kind++)
        status = add_kind(plan->graph, (enum rank_kind)kind, base_ns, rows * TRIED_FACTOR, rank);
    for (size_t i = 0; i < rank->count && status == 0; i++)
        status = try_row(plan, base_ns, &rank->rows[i], RANK_LEVELS - 1);
    array_sort(rank->rows, rank->count, by_saved);
    if (rank->count > rows)
        rank->count = rows;
    for (size_t i = 0; i < rank->count && status == 0; i++)
        for (int level = 0; level < RANK_LEVELS - 1 && status == 0; level++)
            status = try_row(plan, base_ns, &rank->rows[i], level);
    return status;
}
