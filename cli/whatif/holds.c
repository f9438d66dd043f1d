/* Holds of locks: see holds.h. */
#include "cli/whatif/holds.h"

#include <stdlib.h>

#include "base/array.h"
#include "cli/out/say.h"
#include "cli/whatif/graph_parts.h"

#define LOOK_BACK 256 /* acquisitions of a thread among which one may still be held */

static int by_thread(const void *left, const void *right)
{
    const struct hold *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->from_ns != b->from_ns)
        return a->from_ns < b->from_ns ? -1 : 1;
    return a->lock < b->lock ? -1 : a->lock > b->lock;
}

static int take(struct holds *holds, const struct building *building)
{
    const struct graph *graph = building->graph;
    holds->items = calloc(building->acquisitions_count + 1, sizeof *holds->items);
    holds->names = calloc(graph->locks_count + 1, sizeof *holds->names);
    if (holds->items == NULL || holds->names == NULL)
        return fail("out of memory for %zu acquisitions of locks", building->acquisitions_count);
    holds->count = building->acquisitions_count;
    for (size_t i = 0; i < holds->count; i++) {
        const struct acquisition *taken = &building->acquisitions[i];
        holds->items[i] = (struct hold){graph->view->threads[taken->thread].id, taken->ns,
                                        taken->release_ns, taken->lock};
    }
    array_sort(holds->items, holds->count, by_thread);
    for (; holds->names_count < graph->locks_count; holds->names_count++) {
        holds->names[holds->names_count] = graph->locks[holds->names_count].name;
        graph->locks[holds->names_count].name = NULL;
    }
    return 0;
}

int holds_open(struct holds *holds, const struct run_view *view)
{
    struct graph graph;
    struct building building;
    *holds = (struct holds){.count = 0};
    int status = graph_open_locks(&graph, &building, view);
    if (status == 0)
        status = take(holds, &building);
    building_release(&building);
    graph_release(&graph);
    return status;
}

void holds_release(struct holds *holds)
{
    for (size_t i = 0; i < holds->names_count; i++)
        free(holds->names[i]);
    free(holds->names);
    free(holds->items);
    *holds = (struct holds){.count = 0};
}

const char *holds_next(const struct holds *holds, int64_t thread, int64_t ns, size_t *after)
{
    const struct hold key = {.thread = thread, .from_ns = ns, .lock = UINT32_MAX};
    size_t low = 0, high = holds->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_thread(&holds->items[middle], &key) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t back = 0; back < LOOK_BACK && low-- > 0 && holds->items[low].thread == thread;
         back++)
        if (low < *after && ns <= holds->items[low].to_ns) {
            *after = low;
            return holds->names[holds->items[low].lock];
        }
    return NULL;
}
