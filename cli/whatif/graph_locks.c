/*
 * When locks were taken and given back.
 *
 * With --locks=all the log has each acquisition, but no release. Of a release we know
 *
 *   - that it came before the next acquisition of the lock (by a writer, if it was held to read), and
 *     before its thread waited for a condition with it: at most so late;
 *   - that a thread that began to wait for the lock found it held by this one: at least so late;
 *   - the exact sum of the times that the thread held the lock (lock_holds).
 *
 * We let all turns of a thread at a lock be equally long, as far as these bounds allow, so that they
 * add up to that sum. A lock of which less than 95 % of the acquisitions were recorded (--locks
 * records those alone that had to wait) is not modelled so: see graph_wakers.c.
 *
 * A thread that waited has the lock a while after it was given back: the kernel wakes it, and it has to
 * come to a processor. With short turns that is a good part of the time that the lock takes.
 */
#include "cli/whatif/graph_parts.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sorted.h"
#include "cli/out/say.h"
#include "cli/run/database.h"

#define WHOLE_PERCENT 95
#define RETURN_NS 1000000 /* from the end of a wait for a condition to the record of its mutex */
#define LOOK_BACK 64

static int by_lock(const void *left, const void *right)
{
    const struct acquisition *a = left, *b = right;
    if (a->lock != b->lock)
        return a->lock < b->lock ? -1 : 1;
    if (a->ns != b->ns)
        return a->ns < b->ns ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->wait < b->wait ? -1 : a->wait > b->wait;
}

/* Which locks were all acquisitions recorded of? */
static int choose_locks(struct building *building)
{
    struct graph *graph = building->graph;
    int64_t *taken = calloc(graph->locks_count + 1, sizeof *taken);
    if (taken == NULL)
        return fail("out of memory");
    for (size_t i = 0; i < graph->view->threads_count; i++)
        for (size_t k = 0; k < building->threads[i].count; k++) {
            const struct wait *wait = &building->threads[i].items[k];
            if (wait->lock != NONE && wait->taken && wait->kind <= FISQL_LOCK_KIND_SPIN)
                taken[wait->lock]++;
        }
    for (size_t i = 0; i < graph->locks_count; i++) {
        struct graph_lock *lock = &graph->locks[i];
        lock->modelled = lock->kind <= FISQL_LOCK_KIND_SPIN && lock->times > 0 &&
                         (double)taken[i] * 100 >= (double)lock->times * WHOLE_PERCENT;
        graph->doubts.locks_partly +=
            lock->kind <= FISQL_LOCK_KIND_SPIN && !lock->modelled && lock->waits > 0;
    }
    free(taken);
    return 0;
}

/* Is the acquisition the end of a wait for a condition? */
static bool returns(const struct thread_waits *waits, uint32_t at)
{
    const struct wait *wait = &waits->items[at];
    for (uint32_t back = 1; back <= 2 && back <= at; back++) {
        const struct wait *before = &waits->items[at - back];
        if (before->kind == FISQL_LOCK_KIND_CONDITION)
            return before->mutex == wait->lock && wait->until_ns - before->until_ns < RETURN_NS;
        if (before->lock == wait->lock)
            return false;
    }
    return false;
}

static int collect(struct building *building)
{
    struct graph *graph = building->graph;
    for (uint32_t i = 0; i < graph->view->threads_count; i++) {
        struct thread_waits *waits = &building->threads[i];
        for (uint32_t k = 0; k < waits->count; k++) {
            struct wait *wait = &waits->items[k];
            if (wait->lock == NONE || !wait->taken || !graph->locks[wait->lock].modelled)
                continue;
            wait->means = MEANS_ACQUIRE;
            struct acquisition acquisition = {.ns = wait->until_ns,
                                              .thread = i,
                                              .wait = k,
                                              .lock = wait->lock,
                                              .reads = wait->reads,
                                              .returns = returns(waits, k)};
            if (array_add(&building->acquisitions, &building->acquisitions_count,
                          &building->acquisitions_capacity, acquisition, NULL) != 0)
                return fail("out of memory for %zu acquisitions of locks",
                            building->acquisitions_count);
        }
    }
    array_sort(building->acquisitions, building->acquisitions_count, by_lock);
    return 0;
}

/* When the thread waits for a condition with the lock while it holds it, at most until `until_ns`. */
static int64_t condition_start(const struct thread_waits *waits, const struct acquisition *taken,
                               int64_t until_ns)
{
    for (size_t k = taken->wait + 1; k < waits->count && waits->items[k].start_ns < until_ns; k++)
        if (waits->items[k].kind == FISQL_LOCK_KIND_CONDITION &&
            waits->items[k].mutex == taken->lock)
            return waits->items[k].start_ns;
    return until_ns;
}

/* At most how long: up to what comes next. own_next: by thread, when it takes this lock next. */
static void bound_above(struct building *building, size_t from, size_t to, int64_t *own_next)
{
    struct acquisition *all = building->acquisitions;
    const struct run_thread *threads = building->graph->view->threads;
    int64_t next_ns = INT64_MAX, next_alone_ns = INT64_MAX;
    for (size_t i = from; i < to; i++)
        own_next[all[i].thread] = threads[all[i].thread].end_ns;
    for (size_t i = to; i-- > from;) {
        struct acquisition *taken = &all[i];
        int64_t most = taken->reads ? next_alone_ns : next_ns;
        if (own_next[taken->thread] < most)
            most = own_next[taken->thread];
        most = condition_start(&building->threads[taken->thread], taken, most);
        taken->most_ns = most > taken->ns ? most - taken->ns : 0;
        own_next[taken->thread] = next_ns = taken->ns;
        if (!taken->reads)
            next_alone_ns = taken->ns;
    }
}

/* At least so long: others began to wait for it. */
static void bound_below(struct building *building)
{
    struct graph *graph = building->graph;
    for (uint32_t i = 0; i < graph->view->threads_count; i++)
        for (size_t k = 0; k < building->threads[i].count; k++) {
            const struct wait *wait = &building->threads[i].items[k];
            if (wait->lock == NONE || wait->asleep_ns == 0 || wait->holder == NONE ||
                !graph->locks[wait->lock].modelled)
                continue;
            const struct acquisition key = {.lock = wait->lock, .ns = wait->start_ns};
            size_t low = 0, high = building->acquisitions_count;
            while (low < high) {
                size_t middle = low + (high - low) / 2;
                if (by_lock(&building->acquisitions[middle], &key) < 0)
                    low = middle + 1;
                else
                    high = middle;
            }
            for (size_t back = 0; back < LOOK_BACK && low > 0; back++) {
                struct acquisition *taken = &building->acquisitions[--low];
                if (taken->lock != wait->lock)
                    break;
                if (taken->thread != wait->holder)
                    continue;
                int64_t least_ns = wait->start_ns - taken->ns;
                if (least_ns > taken->least_ns)
                    taken->least_ns = least_ns < taken->most_ns ? least_ns : taken->most_ns;
                break;
            }
        }
}

static double clamped(const struct acquisition *taken, double ns)
{
    return ns < (double)taken->least_ns  ? (double)taken->least_ns
           : ns > (double)taken->most_ns ? (double)taken->most_ns
                                         : ns;
}

/* Makes the turns of the thread at the lock, the acquisitions from .. to, add up to hold_ns. */
static void share_out(struct building *building, const uint32_t *turns, size_t count,
                      double hold_ns)
{
    double low = 0, high = hold_ns;
    for (int round = 0; round < 50 && high - low > 0.5; round++) {
        double middle = (low + high) / 2, sum = 0;
        for (size_t i = 0; i < count; i++)
            sum += clamped(&building->acquisitions[turns[i]], middle);
        *(sum < hold_ns ? &low : &high) = middle;
    }
    for (size_t i = 0; i < count; i++) {
        struct acquisition *taken = &building->acquisitions[turns[i]];
        taken->release_ns = taken->ns + (int64_t)clamped(taken, high);
    }
}

static int by_thread(const void *left, const void *right, void *context)
{
    const struct acquisition *all = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (all[a].thread != all[b].thread)
        return all[a].thread < all[b].thread ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* The time that a thread held a lock, a turn of it; where it is not known that of all threads. */
static double mean_hold(struct building *building, sqlite3_stmt *row, uint32_t lock,
                        uint32_t thread)
{
    const struct graph_lock *of = &building->graph->locks[lock];
    double mean_ns = (double)of->hold_ns / (double)of->times;
    sqlite3_reset(row);
    sqlite3_bind_int64(row, 1, of->id);
    sqlite3_bind_int64(row, 2, building->graph->view->threads[thread].id);
    if (database_row(row) && sqlite3_column_double(row, 1) > 0)
        mean_ns = sqlite3_column_double(row, 0) / sqlite3_column_double(row, 1);
    return mean_ns >= 0 && mean_ns < (double)RUN_NS_MAX ? mean_ns : 0;
}

static int release_all(struct building *building, uint32_t *turns, int64_t *own_next)
{
    struct acquisition *all = building->acquisitions;
    size_t count = building->acquisitions_count;
    sqlite3_stmt *row = NULL;
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && all[to].lock == all[from].lock;)
            to++;
        bound_above(building, from, to, own_next);
    }
    bound_below(building);
    if (database_rows(building->database,
                      "SELECT hold_ns, times FROM lock_holds WHERE lock_id = ?1 AND thread_id = ?2",
                      "how long locks were held", &row) != 0)
        return 2;
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && all[to].lock == all[from].lock; to++)
            turns[to - from] = (uint32_t)to;
        qsort_r(turns, to - from, sizeof *turns, by_thread, all);
        for (size_t begin = 0, end; begin < to - from; begin = end) {
            uint32_t thread = all[turns[begin]].thread;
            for (end = begin; end < to - from && all[turns[end]].thread == thread;)
                end++;
            share_out(building, turns + begin, end - begin,
                      mean_hold(building, row, all[from].lock, thread) * (double)(end - begin));
        }
    }
    return database_rows_end(row, "how long locks were held");
}

static int mark_releases(struct building *building)
{
    for (size_t i = 0; i < building->acquisitions_count; i++) {
        struct acquisition *taken = &building->acquisitions[i];
        const struct thread_waits *waits = &building->threads[taken->thread];
        const struct wait *wait = wait_around(waits, taken->release_ns);
        /* a thread gives back nothing while it waits: it waited with the lock in its hands, or after */
        if (wait != NULL && wait->start_ns < taken->release_ns) {
            int64_t until_ns = wait->kind == WAIT_GAP
                                   ? wait->start_ns + wait->asleep_ns + wait->preempted_ns
                                   : wait->until_ns;
            bool after = until_ns > taken->ns + taken->most_ns && wait->start_ns >= taken->ns;
            taken->release_ns = after ? wait->start_ns : until_ns;
        }
        struct mark mark = {.ns = taken->release_ns,
                            .what = MARK_RELEASE,
                            .order = order_behind(taken->wait),
                            .target = taken->lock,
                            .number = waits->items[taken->wait].number};
        if (mark_add(building, taken->thread, mark) != 0)
            return 2;
    }
    return 0;
}

static int by_latency(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

/* From when the lock was given back until the thread that waited for it has it, for the acquisitions
 * from .. to, which are all of one lock; and for a thread that did not wait what is usual there. */
static void find_latencies(struct building *building, size_t from, size_t to, int64_t *latencies)
{
    const struct acquisition *all = building->acquisitions;
    int64_t free_ns = INT64_MIN;
    size_t count = 0;
    for (size_t i = from; i < to; i++) {
        struct wait *wait = &building->threads[all[i].thread].items[all[i].wait];
        int64_t since_ns = free_ns > wait->start_ns ? free_ns : wait->start_ns;
        if (wait->asleep_ns > 0 && free_ns > INT64_MIN) {
            wait->latency_ns = since_ns < all[i].ns ? all[i].ns - since_ns : 0;
            latencies[count++] = wait->latency_ns;
        }
        if (all[i].release_ns > free_ns)
            free_ns = all[i].release_ns;
    }
    if (count == 0)
        return;
    qsort(latencies, count, sizeof *latencies, by_latency);
    for (size_t i = from; i < to; i++) {
        struct wait *wait = &building->threads[all[i].thread].items[all[i].wait];
        if (wait->asleep_ns == 0)
            wait->latency_ns = latencies[count / 2];
    }
}

static int find_all_latencies(struct building *building)
{
    const struct acquisition *all = building->acquisitions;
    size_t count = building->acquisitions_count;
    int64_t *latencies = calloc(count, sizeof *latencies);
    if (latencies == NULL)
        return fail("out of memory for %zu acquisitions of locks", count);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && all[to].lock == all[from].lock;)
            to++;
        find_latencies(building, from, to, latencies);
    }
    free(latencies);
    return 0;
}

int acquisitions_find(struct building *building)
{
    int status = choose_locks(building);
    if (status == 0)
        status = collect(building);
    if (status != 0 || building->acquisitions_count == 0)
        return status;
    uint32_t *turns = calloc(building->acquisitions_count, sizeof *turns);
    int64_t *own_next = calloc(building->graph->view->threads_count, sizeof *own_next);
    if (turns == NULL || own_next == NULL)
        status = fail("out of memory for %zu acquisitions of locks", building->acquisitions_count);
    else
        status = release_all(building, turns, own_next);
    free(turns);
    free(own_next);
    if (status == 0)
        status = mark_releases(building);
    return status == 0 ? find_all_latencies(building) : status;
}

uint32_t acquisition_in(const struct building *building, uint32_t thread, const struct wait *wait)
{
    const struct acquisition key = {
        .lock = wait->mutex, .ns = wait->until_ns, .thread = UINT32_MAX, .wait = UINT32_MAX};
    uint32_t otherwise = NONE;
    size_t low = 0, high = building->acquisitions_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_lock(&building->acquisitions[middle], &key) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t back = 0; back < LOOK_BACK * LOOK_BACK && low > 0; back++) {
        const struct acquisition *taken = &building->acquisitions[--low];
        if (taken->lock != wait->mutex || taken->ns <= wait->start_ns)
            break;
        if (taken->thread == thread)
            continue;
        if (building->threads[taken->thread].items[taken->wait].owner != wait->owner)
            return (uint32_t)low;
        if (otherwise == NONE && !taken->returns)
            otherwise = (uint32_t)low;
    }
    return otherwise;
}
