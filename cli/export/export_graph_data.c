/* The call graph for the exports: from the rollup, or from the calls that a cut leaves. */
#include "base/array.h"
#include "base/intern.h"
#include "base/slots.h"
#include "cli/run/database.h"
#include "cli/export/export.h"
#include "cli/out/say.h"

#include <stdlib.h>

/* export_graph_data.sql */
extern const char export_graph_data_sql_edges[], export_graph_data_sql_functions[];

static int add_edge(struct export_graph *graph, const struct export_edge *edge)
{
    if (array_reserve(&graph->edges, &graph->edges_capacity, graph->edges_count + 1, NULL) != 0)
        return fail("out of memory");
    graph->edges[graph->edges_count++] = *edge;
    return 0;
}

static int by_ends(const void *left, const void *right)
{
    const struct export_edge *a = left, *b = right;
    if (a->caller != b->caller)
        return a->caller < b->caller ? -1 : 1;
    if (a->callee != b->callee)
        return a->callee < b->callee ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static int read_whole(const struct export *export, struct export_graph *graph)
{
    sqlite3 *database = export->view->database;
    const char *by = measure_word(export->measure);
    sqlite3_stmt *row = NULL;
    int status = 0;
    size_t functions = export->view->functions_count;
    if (sqlite3_prepare_v2(database, export_graph_data_sql_edges, -1, &row, NULL) != SQLITE_OK)
        return fail("the call graph cannot be read: %s", sqlite3_errmsg(database));
    sqlite3_bind_text(row, 1, by, -1, SQLITE_STATIC);
    while (status == 0 && sqlite3_step(row) == SQLITE_ROW) {
        int64_t caller = sqlite3_column_int64(row, 0), callee = sqlite3_column_int64(row, 1);
        if (caller < 0 || callee <= 0 || (size_t)caller >= functions || (size_t)callee >= functions)
            continue;
        const struct export_edge edge = {(uint32_t)caller, (uint32_t)callee,
                                         sqlite3_column_int64(row, 2), sqlite3_column_int64(row, 3),
                                         sqlite3_column_int64(row, 4)};
        status = add_edge(graph, &edge);
    }
    int ended = database_rows_end(row, "the call graph");
    if (status == 0)
        status = ended;
    if (status != 0)
        return status;
    if (sqlite3_prepare_v2(database, export_graph_data_sql_functions, -1, &row, NULL) != SQLITE_OK)
        return fail("the functions cannot be read: %s", sqlite3_errmsg(database));
    sqlite3_bind_text(row, 1, by, -1, SQLITE_STATIC);
    while (sqlite3_step(row) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(row, 0);
        if (id <= 0 || (size_t)id >= functions)
            continue;
        graph->self_ns[id] = sqlite3_column_int64(row, 1);
        graph->total_ns[id] = sqlite3_column_int64(row, 2);
        graph->calls[id] = sqlite3_column_int64(row, 3);
    }
    return database_rows_end(row, "the functions");
}

struct graph_level {
    uint32_t function;
    size_t edge;         /* index in graph->edges */
    int64_t children_ns; /* of the call above this one */
};

/* Adding up over a walk. `slots` finds an edge by caller and callee. */
struct graph_walk {
    const struct export *export;
    struct call_pauses pauses;
    struct export_graph *graph;
    uint32_t *open;             /* activations by functions.id */
    struct graph_level *levels; /* the open calls, by depth */
    size_t capacity;
    struct slots slots; /* indexes of edges */
};

static int find_edge(struct graph_walk *walk, const struct export_edge *edge, size_t *index)
{
    struct export_graph *graph = walk->graph;
    uint32_t hash = slots_hash(intern_pack(edge->caller, edge->callee), (uint64_t)edge->line);
    for (uint32_t at = hash, found; (found = slots_next(&walk->slots, hash, &at)) != SLOTS_NONE;) {
        *index = found;
        if (by_ends(&graph->edges[found], edge) == 0)
            return 0;
    }
    *index = graph->edges_count;
    if (slots_add(&walk->slots, hash, (uint32_t)*index, NULL) != 0)
        return fail("out of memory");
    return add_edge(graph, edge);
}

static int graph_enter(void *context, const struct shown_call *call)
{
    struct graph_walk *walk = context;
    const struct run_frame *frame = &walk->export->view->frames[call->frame];
    if (array_reserve(&walk->levels, &walk->capacity, (size_t)call->depth + 2, NULL) != 0)
        return fail("out of memory");
    const struct export_edge edge = {
        .caller = call->depth > 0 ? walk->levels[call->depth - 1].function : 0,
        .callee = frame->function,
        .line = frame->site_line};
    size_t index;
    if (find_edge(walk, &edge, &index) != 0)
        return 2;
    walk->graph->edges[index].calls++;
    walk->graph->calls[frame->function]++;
    walk->levels[call->depth].edge = index;
    walk->levels[call->depth].function = frame->function;
    walk->levels[call->depth + 1].children_ns = 0;
    walk->open[frame->function]++;
    return 0;
}

static int graph_leave(void *context, const struct shown_call *call)
{
    struct graph_walk *walk = context;
    uint32_t function = walk->levels[call->depth].function;
    int64_t time_ns = export_time_ns(call);
    run_add(&walk->graph->self_ns[function],
            time_ns - walk->levels[call->depth + 1].children_ns -
                export_paused_ns(walk->export, &walk->pauses, call));
    if (call->depth > 0)
        run_add(&walk->levels[call->depth].children_ns, time_ns);
    if (--walk->open[function] == 0) {
        run_add(&walk->graph->total_ns[function], time_ns);
        run_add(&walk->graph->edges[walk->levels[call->depth].edge].total_ns, time_ns);
    }
    return 0;
}

static int read_cut(const struct export *export, struct export_graph *graph)
{
    struct graph_walk walk = {.export = export, .graph = graph};
    const struct export_sink sink = {graph_enter, graph_leave, NULL, &walk};
    walk.open = calloc(export->view->functions_count + 1, sizeof *walk.open);
    int status = walk.open == NULL ? fail("out of memory") : 0;
    if (status == 0)
        status = call_pauses_open(&walk.pauses, export->view->database);
    for (size_t i = 0; status == 0 && i < export->view->threads_count; i++)
        if (export_has_thread(export, &export->view->threads[i]))
            status = export_walk(export, &export->view->threads[i], &sink);
    call_pauses_close(&walk.pauses);
    free(walk.open);
    free(walk.levels);
    slots_release(&walk.slots);
    return status;
}

int export_graph_read(const struct export *export, struct export_graph *graph)
{
    size_t count = export->view->functions_count + 1;
    *graph = (struct export_graph){.edges = NULL};
    graph->self_ns = calloc(count, sizeof *graph->self_ns);
    graph->total_ns = calloc(count, sizeof *graph->total_ns);
    graph->calls = calloc(count, sizeof *graph->calls);
    if (graph->self_ns == NULL || graph->total_ns == NULL || graph->calls == NULL)
        return fail("out of memory");
    int status = call_cut_any(export->cut) ? read_cut(export, graph) : read_whole(export, graph);
    if (graph->edges_count > 0)
        qsort(graph->edges, graph->edges_count, sizeof *graph->edges, by_ends);
    return status;
}

void export_graph_release(struct export_graph *graph)
{
    free(graph->edges);
    free(graph->self_ns);
    free(graph->total_ns);
    free(graph->calls);
}
