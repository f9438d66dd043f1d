/* What the files that read a run into a graph share: ids, events, marks. */
#include "cli/whatif/graph_parts.h"

#include "base/array.h"
#include "base/sorted.h"
#include "cli/out/say.h"

uint32_t thread_of_id(const struct graph *graph, int64_t id)
{
    const struct run_view *view = graph->view;
    size_t at = sorted_from(view->threads, view->threads_count, id, id);
    return at < view->threads_count && view->threads[at].id == id ? (uint32_t)at : NONE;
}

uint32_t lock_of_id(const struct graph *graph, int64_t id)
{
    size_t at = sorted_from(graph->locks, graph->locks_count, id, id);
    return at < graph->locks_count && graph->locks[at].id == id ? (uint32_t)at : NONE;
}

uint32_t graph_event(struct graph *graph, uint32_t needed)
{
    if (graph->events_count >= UINT32_MAX - 1 ||
        array_add(&graph->events, &graph->events_count, &graph->events_capacity, needed, NULL) != 0)
        return UINT32_MAX;
    return (uint32_t)(graph->events_count - 1);
}

/* When a thread that waits goes on, as the graph has it. */
static int64_t asleep_until(const struct wait *wait)
{
    return wait->kind != WAIT_GAP ? wait->until_ns
                                  : wait->start_ns + wait->asleep_ns + wait->preempted_ns;
}

const struct wait *wait_around(const struct thread_waits *thread, int64_t ns)
{
    size_t at = sorted_from(thread->items, thread->count, start_ns, ns);
    return at > 0 && asleep_until(&thread->items[at - 1]) > ns ? &thread->items[at - 1] : NULL;
}

uint32_t order_at(const struct thread_waits *thread, int64_t ns)
{
    return 2 * (uint32_t)sorted_from(thread->items, thread->count, start_ns, ns);
}

int mark_add(struct building *building, uint32_t thread, struct mark mark)
{
    struct thread_waits *waits = &building->threads[thread];
    return array_add(&waits->marks, &waits->marks_count, &waits->marks_capacity, mark, NULL) == 0
               ? 0
               : fail("out of memory for %zu waits", waits->marks_count);
}

int mark_post(struct building *building, uint32_t thread, int64_t ns, uint32_t event)
{
    const struct wait *wait = wait_around(&building->threads[thread], ns);
    const struct run_thread *poster = &building->graph->view->threads[thread];
    struct mark mark = {.ns = ns, .what = MARK_POST, .target = event};
    if (event == NONE)
        return fail("out of memory");
    if (mark.ns > poster->end_ns)
        mark.ns = poster->end_ns;
    if (mark.ns < poster->start_ns)
        mark.ns = poster->start_ns;
    if (wait != NULL && wait->start_ns < mark.ns)
        mark.ns = wait->start_ns;
    mark.delay_ns = ns > mark.ns ? ns - mark.ns : 0;
    mark.order = order_at(&building->threads[thread], mark.ns);
    return mark_add(building, thread, mark);
}
