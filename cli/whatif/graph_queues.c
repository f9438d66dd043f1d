/*
 * Conditions that are those of a queue.
 *
 * A thread that finds its queue filled takes the next item without a wait, and the log shows none.
 * But if it were faster it would have to wait. So where threads wait for a condition, we look at
 * all turns at its mutex: those of the functions that wait for it, and those of the functions that
 * ended such waits. If turn k of the former needs turn k - d of the latter (d is 0 for "not empty",
 * the room of the queue for "not full"), each wait of a turn k says that turn k - d had not come when
 * it began: it is, or comes after, the first that came later. We take the largest d that goes with
 * all waits, and leave the condition alone if turns that did not wait contradict it. What waits for
 * room in a queue (d above 0) fills it: then the other side's turn k needs turn k of this one, even
 * if it never waited.
 */
#include "cli/whatif/graph_parts.h"

#include <stdlib.h>

#include "base/array.h"
#include "cli/out/say.h"

#define WRONG_PERCENT 1 /* turns that may contradict it */

/* What a thread does with a mutex from taking it to giving it back, waits for conditions included. */
struct pass {
    int64_t ns, start_ns,
        release_ns;         /* when it has it last; when it wants it first; gives it back */
    uint32_t thread, event; /* event: NONE = none so far */
    struct wait *wait;      /* for a condition, in it; NULL */
    uint32_t last;          /* acquisition */
    uint32_t rank;          /* among the passes of its side */
    uint16_t owner;
};

struct queues {
    struct building *building;
    struct pass *passes; /* of one mutex, by ns */
    size_t passes_count, passes_capacity;
    uint32_t *pass_of;       /* by acquisition, less the mutex's first: place in passes */
    size_t first;            /* acquisition */
    bool *waits, *wakes;     /* by class: does it wait for the condition, or end such waits? */
    uint32_t *taken, *given; /* passes of either side */
    size_t taken_count, given_count;
};

static int by_ns(const void *left, const void *right)
{
    const struct pass *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns < b->ns ? -1 : 1;
    return a->last < b->last ? -1 : a->last > b->last;
}

/* The wait for a condition that ended with the acquisition. */
static struct wait *condition_before(const struct thread_waits *waits, uint32_t at)
{
    for (uint32_t back = 1; back <= 2 && back <= at; back++) /* as acquisitions_find() has it */
        if (waits->items[at - back].kind == FISQL_LOCK_KIND_CONDITION)
            return &waits->items[at - back];
    return NULL;
}

/* The passes of the mutex, whose acquisitions are from .. to. open: by thread, its present pass. */
static int find_passes(struct queues *queues, size_t from, size_t to, uint32_t *open)
{
    struct building *building = queues->building;
    queues->passes_count = 0;
    queues->first = from;
    for (size_t i = from; i < to; i++)
        open[building->acquisitions[i].thread] = NONE;
    for (size_t i = from; i < to; i++) {
        const struct acquisition *taken = &building->acquisitions[i];
        const struct thread_waits *waits = &building->threads[taken->thread];
        if (!taken->returns || open[taken->thread] == NONE) {
            struct pass pass = {.start_ns = waits->items[taken->wait].start_ns,
                                .thread = taken->thread,
                                .event = NONE,
                                .owner = waits->items[taken->wait].owner};
            open[taken->thread] = (uint32_t)queues->passes_count;
            if (array_add(&queues->passes, &queues->passes_count, &queues->passes_capacity, pass,
                          NULL) != 0)
                return fail("out of memory for %zu turns at locks", queues->passes_count);
        }
        struct pass *pass = &queues->passes[open[taken->thread]];
        struct wait *wait = taken->returns ? condition_before(waits, taken->wait) : NULL;
        pass->ns = taken->ns;
        pass->release_ns = taken->release_ns;
        pass->last = (uint32_t)i;
        if (wait != NULL)
            pass->wait = wait;
    }
    array_sort(queues->passes, queues->passes_count, by_ns);
    for (size_t i = from; i < to; i++)
        queues->pass_of[i - from] = NONE;
    for (size_t i = 0; i < queues->passes_count; i++)
        queues->pass_of[queues->passes[i].last - from] = (uint32_t)i;
    return 0;
}

/* The pass that the acquisition is part of: the one that ends with it, or the thread's next. */
static uint32_t pass_with(const struct queues *queues, uint32_t acquisition, size_t to)
{
    const struct acquisition *all = queues->building->acquisitions;
    for (size_t i = acquisition; i < to; i++)
        if (all[i].thread == all[acquisition].thread && queues->pass_of[i - queues->first] != NONE)
            return queues->pass_of[i - queues->first];
    return NONE;
}

static bool waits_for(const struct pass *pass, uint32_t condition)
{
    return pass->wait != NULL && pass->wait->lock == condition;
}

/* Which functions wait for the condition, and which end such waits? False if one does both, or none
 * does either. */
static bool find_sides(struct queues *queues, uint32_t condition, size_t to)
{
    bool any = false;
    for (uint32_t class = 0; class < CLASSES_MAX; class ++)
        queues->waits[class] = queues->wakes[class] = false;
    for (size_t i = 0; i < queues->passes_count; i++) {
        const struct pass *pass = &queues->passes[i];
        if (!waits_for(pass, condition) || pass->wait->waker == NONE)
            continue;
        uint32_t waker = pass_with(queues, pass->wait->waker, to);
        if (waker == NONE)
            continue;
        queues->waits[pass->owner] = any = true;
        queues->wakes[queues->passes[waker].owner] = true;
    }
    for (uint32_t class = 0; class < CLASSES_MAX; class ++)
        any = any && !(queues->waits[class] && queues->wakes[class]);
    queues->taken_count = queues->given_count = 0;
    for (uint32_t i = 0; any && i < queues->passes_count; i++) {
        struct pass *pass = &queues->passes[i];
        if (queues->waits[pass->owner]) {
            pass->rank = (uint32_t)queues->taken_count;
            queues->taken[queues->taken_count++] = i;
        } else if (queues->wakes[pass->owner]) {
            pass->rank = (uint32_t)queues->given_count;
            queues->given[queues->given_count++] = i;
        }
    }
    return any;
}

/* The first turn of the other side after that time; the number of them if there is none. */
static size_t first_given_after(const struct queues *queues, int64_t ns)
{
    size_t low = 0, high = queues->given_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (queues->passes[queues->given[middle]].ns <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The turn of the other side that turn k needs; NULL. */
static struct pass *needed(const struct queues *queues, size_t k, int64_t distance)
{
    int64_t needs = (int64_t)k - distance;
    return needs >= 0 && needs < (int64_t)queues->given_count
               ? &queues->passes[queues->given[needs]]
               : NULL;
}

/* Do the turns go with that distance? */
static bool fits(const struct queues *queues, int64_t distance)
{
    size_t wrong = 0;
    for (size_t k = 0; k < queues->taken_count; k++) {
        const struct pass *given = needed(queues, k, distance);
        wrong += (int64_t)k >= distance &&
                 (given == NULL || given->ns > queues->passes[queues->taken[k]].ns);
    }
    return wrong * 100 <= queues->taken_count * WRONG_PERCENT;
}

/* By how many turns the one side may be ahead. False if turns contradict it. */
static bool find_distance(const struct queues *queues, uint32_t condition, int64_t *distance)
{
    *distance = INT64_MAX;
    for (size_t k = 0; k < queues->taken_count; k++) {
        const struct pass *pass = &queues->passes[queues->taken[k]];
        if (!waits_for(pass, condition))
            continue;
        int64_t ahead = (int64_t)k - (int64_t)first_given_after(queues, pass->wait->start_ns);
        if (ahead < *distance)
            *distance = ahead;
    }
    return fits(queues, *distance);
}

/* Each turn needs the one of the other side, whether it waited or not. */
static int add_needs(struct queues *queues, uint32_t condition, int64_t distance)
{
    struct building *building = queues->building;
    for (size_t k = 0; k < queues->taken_count; k++) {
        const struct pass *pass = &queues->passes[queues->taken[k]];
        struct pass *given = needed(queues, k, distance);
        if (given == NULL || given->ns > pass->ns || given->thread == pass->thread ||
            (pass->wait != NULL && !waits_for(pass, condition)))
            continue;
        if (given->event == NONE) {
            given->event = graph_event(building->graph, 1);
            if (mark_post(building, given->thread, given->release_ns, given->event) != 0)
                return 2;
        }
        if (pass->wait != NULL) {
            int64_t latency_ns = pass->wait->until_ns - given->release_ns;
            pass->wait->means = MEANS_AWAIT;
            pass->wait->event = given->event;
            pass->wait->latency_ns = latency_ns < 0 ? 0 : latency_ns;
            continue;
        }
        struct mark mark = {.ns = pass->start_ns,
                            .what = MARK_AWAIT,
                            .order = order_at(&building->threads[pass->thread], pass->start_ns),
                            .target = given->event};
        if (mark_add(building, pass->thread, mark) != 0)
            return 2;
    }
    return 0;
}

/* The other side, from now on. */
static void swap_sides(struct queues *queues)
{
    uint32_t *taken = queues->taken;
    size_t count = queues->taken_count;
    queues->taken = queues->given;
    queues->taken_count = queues->given_count;
    queues->given = taken;
    queues->given_count = count;
}

static int take_for_queue(struct queues *queues, uint32_t condition)
{
    int64_t distance;
    if (!find_distance(queues, condition, &distance))
        return 0;
    queues->building->graph->doubts.queues++;
    int status = add_needs(queues, condition, distance);
    if (status != 0 || distance <= 0)
        return status;
    swap_sides(queues);
    return fits(queues, 0) ? add_needs(queues, NONE, 0) : 0;
}

/* The conditions that threads wait for with the mutex of these acquisitions. */
static int find_conditions(struct queues *queues, size_t to)
{
    const struct graph *graph = queues->building->graph;
    bool *seen = calloc(graph->locks_count + 1, sizeof *seen);
    int status = seen == NULL ? fail("out of memory") : 0;
    for (size_t i = 0; i < queues->passes_count && status == 0; i++) {
        if (queues->passes[i].wait == NULL || seen[queues->passes[i].wait->lock])
            continue;
        uint32_t condition = queues->passes[i].wait->lock;
        seen[condition] = true;
        if (find_sides(queues, condition, to))
            status = take_for_queue(queues, condition);
    }
    free(seen);
    return status;
}

int queues_find(struct building *building)
{
    size_t count = building->acquisitions_count;
    struct queues queues = {.building = building};
    if (count == 0)
        return 0;
    uint32_t *open = calloc(building->graph->view->threads_count + 1, sizeof *open);
    queues.pass_of = calloc(count, sizeof *queues.pass_of);
    queues.taken = calloc(count, sizeof *queues.taken);
    queues.given = calloc(count, sizeof *queues.given);
    queues.waits = calloc(CLASSES_MAX, sizeof *queues.waits);
    queues.wakes = calloc(CLASSES_MAX, sizeof *queues.wakes);
    int status = open == NULL || queues.pass_of == NULL || queues.taken == NULL ||
                         queues.given == NULL || queues.waits == NULL || queues.wakes == NULL
                     ? fail("out of memory for %zu turns at locks", count)
                     : 0;
    for (size_t from = 0, to; from < count && status == 0; from = to) {
        bool conditions = false;
        for (to = from;
             to < count && building->acquisitions[to].lock == building->acquisitions[from].lock;
             to++)
            conditions |= building->acquisitions[to].returns;
        if (!conditions)
            continue;
        status = find_passes(&queues, from, to, open);
        if (status == 0)
            status = find_conditions(&queues, to);
    }
    free(open);
    free(queues.passes);
    free(queues.pass_of);
    free(queues.taken);
    free(queues.given);
    free(queues.waits);
    free(queues.wakes);
    return status;
}
