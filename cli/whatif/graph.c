/* A run as a graph: see graph.h. */
#include "cli/whatif/graph_parts.h"

#include <stdlib.h>

#include "cli/out/say.h"
#include "cli/run/database.h"

/* When the run began and ended: with the last of its processes. */
static void find_ends(struct graph *graph)
{
    graph->start_ns = INT64_MAX;
    for (size_t i = 0; i < graph->view->threads_count; i++) {
        const struct run_thread *thread = &graph->view->threads[i];
        if (thread->start_ns < graph->start_ns)
            graph->start_ns = thread->start_ns;
        if (thread->end_ns > graph->end_ns && graph->threads[i].ends_run)
            graph->end_ns = thread->end_ns;
    }
}

/* The part of the hooks' cost by which times may be off. */
static double read_cost_share(sqlite3 *database)
{
    static const char sql[] = "SELECT CAST(1e6 * e.value / nullif(c.value, 0) AS INTEGER)"
                              " FROM run e JOIN run c"
                              " WHERE e.key = 'hook_cost_error_ns' AND c.key = 'hook_cost_ns'";
    return (double)run_within(run_integer(database, sql, 0), 0, 1000000) / 1e6;
}

/* What is known of locks: who had them when. */
static int build_locks(struct building *building)
{
    int status = locks_read(building);
    if (status == 0)
        status = classes_choose(building);
    if (status == 0)
        status = waits_read(building);
    return status == 0 ? acquisitions_find(building) : status;
}

static int build(struct building *building)
{
    struct graph *graph = building->graph;
    int status = build_locks(building);
    if (status == 0)
        status = signals_read(building);
    if (status == 0)
        status = wakers_find(building);
    if (status == 0)
        status = queues_find(building);
    if (status != 0)
        return status;
    find_ends(graph);
    graph->cost_share = read_cost_share(building->database);
    return stream_calls(building);
}

static int begin(struct graph *graph, struct building *building, const struct run_view *view,
                 struct change_list *changes)
{
    size_t count = view->threads_count + 1;
    *graph = (struct graph){.view = view};
    *building = (struct building){.graph = graph, .changes = changes, .database = view->database};
    graph->threads = calloc(count, sizeof *graph->threads);
    building->threads = calloc(count, sizeof *building->threads);
    if (graph->threads == NULL || building->threads == NULL)
        return fail("out of memory");
    for (size_t i = 0; i < view->threads_count; i++)
        building->threads[i].start_event = building->threads[i].end_event = NONE;
    return 0;
}

void building_release(struct building *building)
{
    for (size_t i = 0; building->threads != NULL && i < building->graph->view->threads_count; i++) {
        free(building->threads[i].items);
        free(building->threads[i].marks);
    }
    free(building->threads);
    free(building->key_of);
    free(building->owner_of);
    free(building->overlaps_of);
    free(building->spread_of);
    free(building->acquisitions);
    free(building->signals);
}

int graph_open_locks(struct graph *graph, struct building *building, const struct run_view *view)
{
    static struct change_list none;
    int status = begin(graph, building, view, &none);
    building->all_locks = true;
    return status == 0 ? build_locks(building) : status;
}

int graph_open(struct graph *graph, const struct run_view *view, struct change_list *changes)
{
    struct building building;
    int status = begin(graph, &building, view, changes);
    if (status == 0)
        status = build(&building);
    building_release(&building);
    return status;
}

void graph_release(struct graph *graph)
{
    for (size_t i = 0; i < graph->locks_count; i++) {
        free(graph->locks[i].name);
        free(graph->locks[i].variable);
    }
    free(graph->locks);
    free(graph->threads);
    free(graph->ops);
    free(graph->slices);
    free(graph->classes);
    free(graph->class_of);
    free(graph->frame_class);
    free(graph->events);
    *graph = (struct graph){.view = NULL};
}
