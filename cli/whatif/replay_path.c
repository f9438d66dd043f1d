/*
 * The critical path of a replay: from the end of the run back to its start, along what happened
 * before. Where a thread waited for another one, the path goes on in that one, at the operation that
 * ended the wait. And what a stretch takes, which both need to know.
 */
#include "cli/whatif/replay_parts.h"

#include <stdlib.h>

#include "cli/out/say.h"

struct stretch stretch_of(const struct simulation *simulation, const struct graph_op *op)
{
    struct stretch stretch = {.speedup = 1};
    const struct graph_slice *slices = simulation->graph->slices + op->target;
    for (uint32_t i = 0; i < op->number; i++) {
        double ns = (double)(simulation->plan->raw ? slices[i].raw_ns : slices[i].ns) *
                    simulation->run_factor[slices[i].class];
        const struct change *spread = simulation->active[slices[i].spread];
        if (spread == NULL || slices[i].held) {
            stretch.serial_ns += ns;
            continue;
        }
        stretch.parallel_ns += ns;
        stretch.speedup = spread->speedup;
    }
    return stretch;
}

struct walk {
    const struct simulation *simulation;
    struct replay_path *path;
    uint32_t op;
    double at_ns; /* the path is known from here on */
};

/* The thread that the operation is one of. */
static uint32_t thread_of(const struct graph *graph, uint32_t op)
{
    size_t low = 0, high = graph->view->threads_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (graph->threads[middle].first_op <= op)
            low = middle;
        else
            high = middle;
    }
    while (low > 0 && graph->threads[low].ops == 0)
        low--;
    return (uint32_t)low;
}

/* A stretch on the processor, which took `took_ns`, and longer than it needs where other threads
 * ran. */
static void add_run(struct walk *walk, const struct graph_op *op, double took_ns)
{
    const struct simulation *simulation = walk->simulation;
    struct stretch stretch = stretch_of(simulation, op);
    double needs_ns = stretch.serial_ns + stretch.parallel_ns / stretch.speedup;
    const struct graph_slice *slices = simulation->graph->slices + op->target;
    double share = needs_ns > took_ns && needs_ns > 0 ? took_ns / needs_ns : 1;
    for (uint32_t i = 0; i < op->number; i++) {
        double ns = (double)(simulation->plan->raw ? slices[i].raw_ns : slices[i].ns) *
                    simulation->run_factor[slices[i].class] * share;
        if (simulation->active[slices[i].spread] != NULL && !slices[i].held)
            ns /= stretch.speedup;
        walk->path->run_ns[slices[i].class] += ns;
    }
    if (took_ns > needs_ns)
        walk->path->queue_ns += took_ns - needs_ns;
}

/* Takes one operation. Returns false at the beginning of the run. */
static bool go_back(struct walk *walk)
{
    const struct simulation *simulation = walk->simulation;
    const struct graph *graph = simulation->graph;
    const struct graph_op *op = &graph->ops[walk->op];
    uint32_t thread = thread_of(graph, walk->op), cause = simulation->cause[walk->op];
    bool first = walk->op == graph->threads[thread].first_op;
    double began_ns = first ? 0 : simulation->done_ns[walk->op - 1];
    double took_ns = walk->at_ns - began_ns;
    if (cause != NONE && took_ns > 0 && simulation->done_ns[cause] <= walk->at_ns) {
        double wake_ns = walk->at_ns - simulation->done_ns[cause];
        if (op->kind == OP_ACQUIRE)
            walk->path->lock_ns[op->target] += wake_ns;
        else
            walk->path->wake_ns += wake_ns;
        walk->at_ns = simulation->done_ns[cause];
        walk->op = cause;
        return true;
    }
    if (took_ns > 0 && op->kind == OP_RUN)
        add_run(walk, op, took_ns);
    else if (took_ns > 0 && (op->flags & OP_PLAIN) != 0)
        walk->path->start_ns += took_ns;
    else if (took_ns > 0)
        walk->path->sleep_ns[op->owner] += took_ns;
    walk->at_ns = began_ns < walk->at_ns ? began_ns : walk->at_ns;
    if (first)
        return false;
    walk->op--;
    return true;
}

int path_find(const struct simulation *simulation, struct replay_path *path)
{
    const struct graph *graph = simulation->graph;
    path->run_ns = calloc(graph->classes_count, sizeof *path->run_ns);
    path->sleep_ns = calloc(graph->classes_count, sizeof *path->sleep_ns);
    path->lock_ns = calloc(graph->locks_count + 1, sizeof *path->lock_ns);
    if (path->run_ns == NULL || path->sleep_ns == NULL || path->lock_ns == NULL)
        return fail("out of memory");
    if (simulation->last == NONE || graph->threads[simulation->last].ops == 0)
        return 0;
    const struct graph_thread *last = &graph->threads[simulation->last];
    struct walk walk = {.simulation = simulation,
                        .path = path,
                        .op = (uint32_t)(last->first_op + last->ops - 1),
                        .at_ns = simulation->now_ns};
    size_t steps = 0;
    while (steps++ <= 2 * graph->ops_count && go_back(&walk))
        ;
    return 0;
}
