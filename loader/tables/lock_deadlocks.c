/* Deadlocks: see lock_deadlocks.h. The nodes of the graph are the waits, then two for each lock that
 * is waited for: its holders that keep all others out, and all of its holders. */
#include "loader/tables/lock_deadlocks.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/intern.h"
#include "loader/tables/components.h"

#define EACH 2u /* nodes of a lock */
#define WRITERS 0u
#define HOLDERS 1u

struct edge {
    uint32_t from, to;
};

struct graph {
    struct lock_blocked *blocked;
    uint32_t count, nodes;
    struct intern threads, locks; /* index in blocked, by thread; of locks that are waited for */
    struct edge *edges;
    size_t edges_count, edges_capacity;
    uint32_t *begin, *to, *component, *sizes;
    struct error *error;
};

static int edge_add(struct graph *graph, uint32_t from, uint32_t to)
{
    if (array_reserve(&graph->edges, &graph->edges_capacity, graph->edges_count + 1,
                      graph->error) != 0)
        return -1;
    graph->edges[graph->edges_count++] = (struct edge){from, to};
    return 0;
}

static uint32_t lock_node(const struct graph *graph, uint32_t lock, uint32_t which)
{
    return graph->count + EACH * intern_find(&graph->locks, 0, lock) + which;
}

static int add_nodes(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        uint32_t index;
        if (intern_add(&graph->threads, 0, graph->blocked[i].thread, &index, graph->error) != 0 ||
            (!graph->blocked[i].joins &&
             intern_add(&graph->locks, 0, graph->blocked[i].lock, &index, graph->error) != 0))
            return -1;
    }
    graph->nodes = graph->count + EACH * graph->locks.count;
    return 0;
}

/* From the locks that a waiting thread holds to its wait. */
static int add_held(struct graph *graph, uint32_t i)
{
    const struct lock_blocked *wait = &graph->blocked[i];
    for (uint32_t k = 0; k < FISQL_LOCK_GUARDS_MAX && wait->held[k] != 0; k++) {
        uint32_t lock = wait->held[k] & ~LOCK_HELD_TO_READ;
        if (intern_find(&graph->locks, 0, lock) == INTERN_NONE)
            continue;
        if (edge_add(graph, lock_node(graph, lock, HOLDERS), i) != 0 ||
            ((wait->held[k] & LOCK_HELD_TO_READ) == 0 &&
             edge_add(graph, lock_node(graph, lock, WRITERS), i) != 0))
            return -1;
    }
    return 0;
}

static int add_edges(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct lock_blocked *wait = &graph->blocked[i];
        uint32_t holder = intern_find(&graph->threads, 0, wait->holder);
        if (add_held(graph, i) != 0 ||
            (!wait->joins &&
             edge_add(graph, i, lock_node(graph, wait->lock, wait->reads ? WRITERS : HOLDERS)) !=
                 0) ||
            (holder != INTERN_NONE &&
             (wait->joins || graph->blocked[holder].start_ns <= wait->start_ns) &&
             edge_add(graph, i, holder) != 0))
            return -1;
    }
    return 0;
}

/* Puts the edges in order of their first nodes. */
static int index_edges(struct graph *graph)
{
    graph->begin = calloc((size_t)graph->nodes + 2, sizeof *graph->begin);
    graph->to = calloc(graph->edges_count + 1, sizeof *graph->to);
    graph->component = calloc((size_t)graph->nodes + 1, sizeof *graph->component);
    graph->sizes = calloc((size_t)graph->nodes + 1, sizeof *graph->sizes);
    if (graph->begin == NULL || graph->to == NULL || graph->component == NULL ||
        graph->sizes == NULL)
        return error_set(graph->error, "out of memory");
    for (size_t i = 0; i < graph->edges_count; i++)
        graph->begin[graph->edges[i].from + 2]++;
    for (uint32_t node = 2; node <= graph->nodes; node++)
        graph->begin[node] += graph->begin[node - 1];
    for (size_t i = 0; i < graph->edges_count; i++)
        graph->to[graph->begin[graph->edges[i].from + 1]++] = graph->edges[i].to;
    return 0;
}

/* A wait lies on a circle if its component has other nodes, or if it leads to itself. */
static void number_deadlocks(struct graph *graph)
{
    uint32_t deadlocks = 0;
    for (uint32_t node = 0; node < graph->nodes; node++)
        graph->sizes[graph->component[node]]++;
    for (size_t i = 0; i < graph->edges_count; i++)
        if (graph->edges[i].from == graph->edges[i].to)
            graph->sizes[graph->component[graph->edges[i].from]]++;
    /* From now on `sizes` are the deadlocks' numbers, those that were given stand above 2^31. */
    for (uint32_t i = 0; i < graph->count; i++) {
        uint32_t *size = &graph->sizes[graph->component[i]];
        if (*size > 1 && *size < LOCK_HELD_TO_READ)
            *size = LOCK_HELD_TO_READ + ++deadlocks;
        graph->blocked[i].deadlock = *size > 1 ? *size - LOCK_HELD_TO_READ : 0;
    }
}

int lock_deadlocks_find(struct lock_blocked *blocked, uint32_t count, struct error *error)
{
    struct graph graph = {.blocked = blocked, .count = count, .error = error};
    int result =
        add_nodes(&graph) != 0 || add_edges(&graph) != 0 || index_edges(&graph) != 0 ||
                components_find(graph.nodes, graph.begin, graph.to, graph.component, error) != 0
            ? -1
            : 0;
    if (result == 0)
        number_deadlocks(&graph);
    intern_release(&graph.threads);
    intern_release(&graph.locks);
    free(graph.edges);
    free(graph.begin);
    free(graph.to);
    free(graph.component);
    free(graph.sizes);
    return result;
}
