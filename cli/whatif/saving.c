/* Savings: see saving.h. Each finding becomes a change, and the run is replayed once with each. */
#include "cli/whatif/saving.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/out/say.h"
#include "cli/run/database.h"
#include "cli/whatif/replay.h"

#define CALLS_MAX 2000000 /* read in less than a second */
#define DOUBT_PERCENT 15  /* of the run: by what a replay may be off, and what may be unknown */

/* What takes a replay to make sense, and little time to read. */
static const char possible_sql[] =
    "SELECT (SELECT count(*) FROM threads) > 1 AND EXISTS (SELECT 1 FROM locks)"
    " AND (SELECT coalesce(max(id), 0) FROM calls) BETWEEN 1 AND ?1"
    " AND NOT EXISTS (SELECT 1 FROM run WHERE key = 'calls')"
    " AND (SELECT count(*) FROM lock_waits) <= ?1";

static bool is_possible(sqlite3 *database)
{
    sqlite3_stmt *row = NULL;
    if (!run_row(database, "SELECT 1 FROM calls LIMIT 1", &row)) {
        sqlite3_finalize(row);
        return false;
    }
    sqlite3_finalize(row);
    row = database_ask(database, possible_sql);
    if (row == NULL)
        return false;
    sqlite3_bind_int64(row, 1, CALLS_MAX);
    return database_integer(row, 0) > 0;
}

/* The name as a pattern that stands for itself. Malloc'ed; NULL without memory. */
static char *as_pattern(const char *name)
{
    char *pattern = malloc(2 * strlen(name) + 1), *end = pattern;
    for (; pattern != NULL && *name != '\0'; name++) {
        if (strchr("*?[]\\", *name) != NULL)
            *end++ = '\\';
        *end++ = *name;
    }
    if (end != NULL)
        *end = '\0';
    return pattern;
}

static int change_of(const struct saving *saving, struct change_list *changes)
{
    struct change *change = &changes->items[changes->count++];
    *change = (struct change){.kind = saving->lock != 0     ? CHANGE_UNLOCK
                                      : saving->cpu_ns >= 0 ? CHANGE_SCALE
                                                            : CHANGE_WAIT,
                              .text = "findings"};
    if (saving->lock == 0)
        change->name = as_pattern(saving->function);
    else if (asprintf(&change->name, "%lld", (long long)saving->lock) < 0)
        change->name = NULL;
    change->value = change->kind == CHANGE_UNLOCK ? 100 : 0;
    return change->name != NULL ? 0 : fail("out of memory");
}

/* Makes the change as large as the saving; false if the replay knows too little of what it is about. */
static bool fit(const struct graph *graph, const struct saving *saving, struct change *change)
{
    double self_ns = 0, kept_ns = 0;
    for (uint32_t i = CLASSES_FIRST; i < graph->classes_count && change->functions != NULL; i++)
        if (change->functions[graph->classes[i].function]) {
            self_ns += (double)graph->classes[i].self_ns;
            kept_ns += (double)graph->classes[i].wait_ns;
        }
    if (change->kind == CHANGE_SCALE)
        change->value = saving->cpu_ns < self_ns ? 1 - saving->cpu_ns / self_ns : 0;
    /* a wait that another thread ends is no shorter by itself: the other one has to be */
    return change->kind != CHANGE_WAIT || 2 * kept_ns >= saving->wait_ns;
}

/* Does the replay agree with the run? base_ns: without the hooks; filled in. */
static int check(const struct replay_plan *plan, double *base_ns, bool *agrees)
{
    const struct graph *graph = plan->graph;
    struct replay_plan as_it_was = *plan;
    struct replay replay;
    double recorded_ns = (double)(graph->end_ns - graph->start_ns);
    as_it_was.raw = true;
    int status = replay_run(&as_it_was, false, &replay);
    *agrees = fabs(replay.end_ns - recorded_ns) * 100 <= DOUBT_PERCENT * recorded_ns &&
              (double)graph->doubts.unknown_ns * 100 <= DOUBT_PERCENT * recorded_ns;
    if (status == 0)
        status = replay_run(plan, false, &replay);
    *base_ns = replay.end_ns;
    return status;
}

static int replay_each(const struct graph *graph, struct change_list *changes,
                       struct saving *savings)
{
    struct replay_plan plan = {.graph = graph, .all = changes, .processors = processors_here()};
    double base_ns;
    bool agrees;
    int status = check(&plan, &base_ns, &agrees);
    for (size_t i = 0; i < changes->count && status == 0 && agrees; i++) {
        const struct change *const list[] = {&changes->items[i]};
        struct replay replay;
        if (!fit(graph, &savings[i], &changes->items[i]))
            continue;
        plan.changes = list;
        plan.changes_count = 1;
        status = replay_run(&plan, false, &replay);
        savings[i].run_ns = replay.end_ns < base_ns ? base_ns - replay.end_ns : 0;
    }
    return status;
}

int savings_find(sqlite3 *database, struct saving *savings, size_t count)
{
    const char *path = sqlite3_db_filename(database, "main");
    struct change_list changes = {.count = 0};
    struct run_view view = {0};
    struct graph graph = {.view = NULL};
    for (size_t i = 0; i < count; i++)
        savings[i].run_ns = -1;
    if (count == 0 || count > SAVINGS_MAX || path == NULL || *path == '\0' ||
        !is_possible(database))
        return 0;
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++)
        status = change_of(&savings[i], &changes);
    /* a connection of its own: this one may be folded (own_code.h) */
    sqlite3 *own = status == 0 ? database_open(path) : NULL;
    if (own == NULL || run_view_open(&view, own, NAMES_SHORT, MEASURE_CPU) != 0)
        status = 2;
    if (status == 0)
        status = graph_open(&graph, &view, &changes);
    if (status == 0)
        status = replay_each(&graph, &changes, savings);
    if (graph.view != NULL)
        graph_release(&graph);
    run_view_release(&view);
    sqlite3_close(own);
    change_list_release(&changes);
    return status;
}
