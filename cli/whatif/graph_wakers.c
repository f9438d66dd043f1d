/*
 * Who ended each wait.
 *
 * A joined thread ended it by its end. At a barrier the thread that came last lets the
 * others go. The rest is inferred:
 *
 *   - a lock of which every acquisition is known is queued for in the replay (graph_locks.c); of
 *     others, the thread that had the lock when the wait began, or the last one that got it
 *     meanwhile, gave it back when the wait was over;
 *   - a condition is signalled by the thread that last took its mutex in the wait, rather in another
 *     function than the one that waits; graph_queues.c finds what else that tells;
 *   - where that is not known, and for semaphores, by the only other thread of the process that was
 *     not waiting itself then;
 *   - a thread is begun by the one that called pthread_create last, if library calls were recorded,
 *     else by the thread that joins it, else by its process's first one;
 *   - a wait in read, poll and the like, by another thread's write in the 5 ms before its end,
 *     if library calls were recorded, which also name who signalled a condition or posted a semaphore;
 *   - a wait that ended within 2 ms after a child process, or where locks were not recorded after a
 *     thread, waited for that end;
 *   - a wait before a thread's end, such as for a signal, by the thread that joins it, if that began
 *     to wait for it when the wait ended, within a hundredth of the wait.
 *
 * What none of this tells keeps its length, and is counted.
 */
#include "cli/whatif/graph_parts.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sorted.h"
#include "cli/out/say.h"
#include "cli/run/database.h"

#define AWAKE_NS 200000  /* from the moment a thread is woken until it runs */
#define ENDED_NS 2000000 /* from an end until the thread that waited for it goes on */
#define WROTE_NS 5000000 /* from a write until the thread that reads goes on */
#define LET_GO_PART 100  /* of a wait: from the join until the joined thread goes on, or back */
#define RUNNERS_MAX 64   /* threads among which we look for one that runs */

struct process {
    int64_t id, parent_id, end_ns;
    uint32_t first, last; /* indexes of its first thread, and of the one that ends last; NONE */
};

/* A wait by its lock. */
struct lock_wait {
    uint32_t lock, thread, wait;
    int64_t start_ns, until_ns;
};

struct ending {
    int64_t ns;
    uint32_t thread;
};

/* The wait for a thread's end. */
struct join {
    int64_t start_ns;
    uint32_t by; /* thread; NONE = nobody is known to have waited */
};

struct wakers {
    struct building *building;
    struct process *processes;
    size_t processes_count, processes_capacity;
    struct lock_wait
        *waits; /* for locks that are not modelled, and barriers: by lock and end, start */
    size_t waits_count, waits_capacity;
    struct ending *endings; /* of threads, by ns */
    size_t endings_count;
    struct join *joins; /* by the joined thread */
};

static uint32_t process_of_id(const struct wakers *wakers, int64_t id)
{
    size_t at = sorted_from(wakers->processes, wakers->processes_count, id, id);
    return at < wakers->processes_count && wakers->processes[at].id == id ? (uint32_t)at : NONE;
}

static int read_processes(struct wakers *wakers)
{
    const struct run_view *view = wakers->building->graph->view;
    sqlite3_stmt *row = NULL;
    if (database_rows(
            wakers->building->database,
            "SELECT id, coalesce(parent_id, 0), coalesce(end_ns, 0) FROM processes ORDER BY id",
            "the processes", &row) != 0)
        return 2;
    while (sqlite3_step(row) == SQLITE_ROW) {
        struct process process = {sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1),
                                  run_within(sqlite3_column_int64(row, 2), 0, RUN_NS_MAX), NONE,
                                  NONE};
        if (array_add(&wakers->processes, &wakers->processes_count, &wakers->processes_capacity,
                      process, NULL) != 0)
            return database_rows_short(row);
    }
    for (uint32_t i = 0; i < view->threads_count; i++) {
        uint32_t at = process_of_id(wakers, view->threads[i].process_id);
        if (at == NONE)
            continue;
        struct process *process = &wakers->processes[at];
        if (process->first == NONE)
            process->first = i;
        if (process->last == NONE || view->threads[i].end_ns > view->threads[process->last].end_ns)
            process->last = i;
    }
    for (size_t i = 0; i < wakers->processes_count; i++) {
        struct process *process = &wakers->processes[i];
        if (process->first == NONE)
            continue;
        /* a process ends with its first thread, unless that ended before by itself */
        if (view->threads[process->first].end_ns + ENDED_NS / 2 >=
            view->threads[process->last].end_ns)
            process->last = process->first;
        wakers->building->graph->threads[process->last].ends_run = true;
    }
    return database_rows_end(row, "the processes");
}

static int await(struct wakers *wakers, struct wait *wait, uint32_t event, int64_t latency_ns)
{
    (void)wakers;
    if (event == NONE)
        return fail("out of memory");
    wait->means = MEANS_AWAIT;
    wait->event = event;
    wait->latency_ns = latency_ns < 0                 ? 0
                       : latency_ns > wait->asleep_ns ? wait->asleep_ns
                                                      : latency_ns;
    return 0;
}

/* The event of the thread's end. */
static uint32_t end_event(struct wakers *wakers, uint32_t thread)
{
    struct thread_waits *waits = &wakers->building->threads[thread];
    if (waits->end_event == NONE)
        waits->end_event = graph_event(wakers->building->graph, 1);
    return waits->end_event;
}

static int await_end(struct wakers *wakers, struct wait *wait, uint32_t thread)
{
    return await(wakers, wait, end_event(wakers, thread),
                 wait->until_ns - wakers->building->graph->view->threads[thread].end_ns);
}

/* Another thread posts the end of this wait when it was over. */
static int await_post(struct wakers *wakers, struct wait *wait, uint32_t waker, int64_t ns)
{
    uint32_t event = graph_event(wakers->building->graph, 1);
    if (mark_post(wakers->building, waker, ns, event) != 0)
        return 2;
    return await(wakers, wait, event, wait->until_ns - ns);
}

/* ---- joined threads ---- */

#define JOIN_NS 50000 /* a shorter one found that the thread had ended */

/* The thread of the process that a wait for one was for: if it took long, the one that ended last in
 * it; else the first of those that had ended. */
static uint32_t joined_in(const struct wakers *wakers, uint32_t thread, const struct wait *wait,
                          const bool *joined)
{
    const struct run_thread *threads = wakers->building->graph->view->threads;
    uint32_t found = NONE;
    for (uint32_t i = 0; i < wakers->building->graph->view->threads_count; i++) {
        if (i == thread || joined[i] || threads[i].process_id != threads[thread].process_id ||
            threads[i].end_ns > wait->until_ns || threads[i].start_ns > wait->until_ns)
            continue;
        bool in_wait = threads[i].end_ns >= wait->start_ns;
        if (wait->asleep_ns < JOIN_NS) {
            if (!in_wait && found == NONE)
                found = i;
        } else if (in_wait && (found == NONE || threads[i].end_ns > threads[found].end_ns)) {
            found = i;
        }
    }
    return found;
}

static int list_joins(struct wakers *wakers)
{
    size_t count = wakers->building->graph->view->threads_count;
    wakers->joins = calloc(count + 1, sizeof *wakers->joins);
    if (wakers->joins == NULL)
        return fail("out of memory");
    for (uint32_t i = 0; i < count; i++)
        wakers->joins[i].by = NONE;
    for (uint32_t i = 0; i < count; i++)
        for (size_t k = 0; k < wakers->building->threads[i].count; k++) {
            const struct wait *wait = &wakers->building->threads[i].items[k];
            if (wait->kind == FISQL_LOCK_KIND_THREAD && wait->holder != NONE)
                wakers->joins[wait->holder] = (struct join){wait->start_ns, i};
        }
    return 0;
}

/* The log knows a joined thread only if it has taken locks. */
static int find_joined(struct wakers *wakers)
{
    size_t count = wakers->building->graph->view->threads_count;
    bool *joined = calloc(count + 1, sizeof *joined);
    if (joined == NULL)
        return fail("out of memory");
    for (int pass = 0; pass < 3; pass++) /* those that are known, the long ones, the others */
        for (uint32_t i = 0; i < count; i++)
            for (size_t k = 0; k < wakers->building->threads[i].count; k++) {
                struct wait *wait = &wakers->building->threads[i].items[k];
                if (wait->kind != FISQL_LOCK_KIND_THREAD || !wait->taken)
                    continue;
                if (pass > 0 && wait->holder == NONE && (wait->asleep_ns >= JOIN_NS) == (pass == 1))
                    wait->holder = joined_in(wakers, i, wait, joined);
                if (wait->holder != NONE)
                    joined[wait->holder] = true;
            }
    free(joined);
    return list_joins(wakers);
}

/* ---- beginnings ---- */

static int begin_by(struct wakers *wakers, uint32_t thread, uint32_t creator)
{
    const struct run_view *view = wakers->building->graph->view;
    if (creator == NONE || creator == thread ||
        view->threads[creator].start_ns > view->threads[thread].start_ns)
        return 0;
    uint32_t event = graph_event(wakers->building->graph, 1);
    wakers->building->threads[thread].start_event = event;
    return mark_post(wakers->building, creator, view->threads[thread].start_ns, event);
}

static int find_beginnings(struct wakers *wakers)
{
    const struct run_view *view = wakers->building->graph->view;
    int status = 0;
    for (uint32_t i = 0; i < view->threads_count && status == 0; i++) {
        uint32_t at = process_of_id(wakers, view->threads[i].process_id), creator = NONE;
        if (at == NONE)
            continue;
        const struct process *process = &wakers->processes[at];
        uint32_t parent = process_of_id(wakers, process->parent_id);
        const struct signal_call *created =
            signal_before(wakers->building, SIGNAL_CREATE, i, view->threads[i].start_ns - WROTE_NS,
                          view->threads[i].start_ns);
        if (process->first != i && created != NULL)
            creator = created->thread;
        else if (process->first != i)
            creator = wakers->joins[i].by != NONE ? wakers->joins[i].by : process->first;
        else if (parent != NONE)
            creator = wakers->processes[parent].first;
        status = begin_by(wakers, i, creator);
    }
    return status;
}

/* ---- waits ---- */

/* The only thread of the process besides this one that was not waiting then, or had only just
 * begun to; NONE. */
static uint32_t only_runner(const struct wakers *wakers, uint32_t thread, int64_t ns)
{
    const struct run_view *view = wakers->building->graph->view;
    uint32_t found = NONE;
    if (view->threads_count > RUNNERS_MAX)
        return NONE;
    for (uint32_t i = 0; i < view->threads_count; i++) {
        const struct run_thread *other = &view->threads[i];
        if (i == thread || other->process_id != view->threads[thread].process_id ||
            other->start_ns > ns || other->end_ns + AWAKE_NS < ns)
            continue;
        const struct wait *wait = wait_around(&wakers->building->threads[i], ns);
        if (wait != NULL && ns - wait->start_ns > AWAKE_NS)
            continue;
        if (found != NONE)
            return NONE;
        found = i;
    }
    return found;
}

static int find_condition(struct wakers *wakers, uint32_t thread, struct wait *wait)
{
    struct graph *graph = wakers->building->graph;
    if (wait->mutex != NONE && graph->locks[wait->mutex].modelled)
        wait->waker = acquisition_in(wakers->building, thread, wait);
    const struct signal_call *signal =
        signal_before(wakers->building, SIGNAL_CONDITION, thread, wait->start_ns, wait->until_ns);
    if (signal != NULL)
        return await_post(wakers, wait, signal->thread, signal->ns);
    bool known = wait->waker != NONE;
    uint32_t runner = known ? NONE : only_runner(wakers, thread, wait->until_ns);
    if (!known && runner == NONE) {
        graph->doubts.unknown++;
        graph->doubts.unknown_ns += wait->asleep_ns;
        return 0;
    }
    graph->doubts.inferred++;
    graph->doubts.inferred_ns += wait->asleep_ns;
    if (!known)
        return await_post(wakers, wait, runner, wait->until_ns);
    const struct acquisition *taken = &wakers->building->acquisitions[wait->waker];
    return await_post(wakers, wait, taken->thread,
                      taken->release_ns < wait->until_ns ? taken->release_ns : wait->until_ns);
}

/* The thread that had a lock that is not modelled before the wait was over. */
static uint32_t last_owner(const struct wakers *wakers, uint32_t thread, const struct wait *wait)
{
    size_t low = 0, high = wakers->waits_count;
    while (low < high) { /* the first of this lock that ended no sooner */
        size_t middle = low + (high - low) / 2;
        const struct lock_wait *at = &wakers->waits[middle];
        if (at->lock < wait->lock || (at->lock == wait->lock && at->until_ns < wait->until_ns))
            low = middle + 1;
        else
            high = middle;
    }
    while (low-- > 0 && wakers->waits[low].lock == wait->lock &&
           wakers->waits[low].until_ns > wait->start_ns)
        if (wakers->waits[low].thread != thread)
            return wakers->waits[low].thread;
    return wait->holder != thread ? wait->holder : NONE;
}

/* Did the thread that joins this one let it go? It would hardly begin to wait for it just then. */
static bool let_go_by_join(const struct wakers *wakers, uint32_t thread, const struct wait *wait)
{
    const struct join *join = &wakers->joins[thread];
    int64_t apart_ns = wait->until_ns - join->start_ns;
    return join->by != NONE && join->by != thread && join->start_ns >= wait->start_ns &&
           (apart_ns < 0 ? -apart_ns : apart_ns) <= wait->asleep_ns / LET_GO_PART &&
           wakers->building->graph->view->threads[thread].end_ns <= wait->until_ns + ENDED_NS;
}

/* What a gap waited for, if that is something that another thread did. */
static int find_gap(struct wakers *wakers, uint32_t thread, struct wait *wait)
{
    struct graph *graph = wakers->building->graph;
    int64_t since_ns =
        wait->until_ns - WROTE_NS > wait->start_ns ? wait->until_ns - WROTE_NS : wait->start_ns;
    const struct signal_call *wrote = wait->reads ? signal_before(wakers->building, SIGNAL_WRITE,
                                                                  thread, since_ns, wait->until_ns)
                                                  : NULL;
    if (wrote != NULL) {
        graph->doubts.inferred++;
        graph->doubts.inferred_ns += wait->asleep_ns;
        return await_post(wakers, wait, wrote->thread, wrote->ns);
    }
    const struct run_thread *threads = graph->view->threads;
    size_t at = sorted_after(wakers->endings, wakers->endings_count, ns, wait->until_ns);
    while (at-- > 0 && wakers->endings[at].ns > wait->until_ns - ENDED_NS &&
           wakers->endings[at].ns >= wait->start_ns) {
        uint32_t ended = wakers->endings[at].thread;
        uint32_t process = process_of_id(wakers, threads[ended].process_id);
        bool is_thread = threads[ended].process_id == threads[thread].process_id;
        bool is_child = process != NONE && graph->threads[ended].ends_run &&
                        wakers->processes[process].parent_id == threads[thread].process_id;
        if (ended == thread || !(is_child || (is_thread && !graph->doubts.locks_recorded &&
                                              !graph->threads[ended].ends_run)))
            continue;
        graph->doubts.inferred++;
        graph->doubts.inferred_ns += wait->asleep_ns;
        return await_end(wakers, wait, ended);
    }
    if (let_go_by_join(wakers, thread, wait)) {
        const struct join *join = &wakers->joins[thread];
        graph->doubts.inferred++;
        graph->doubts.inferred_ns += wait->asleep_ns;
        return await_post(wakers, wait, join->by,
                          join->start_ns < wait->until_ns ? join->start_ns : wait->until_ns);
    }
    graph->doubts.kept++;
    graph->doubts.kept_ns += wait->asleep_ns;
    return 0;
}

static int find_waker(struct wakers *wakers, uint32_t thread, struct wait *wait)
{
    struct graph_doubts *doubts = &wakers->building->graph->doubts;
    uint32_t waker = NONE;
    if (wait->means != MEANS_SLEEP) /* it was found already */
        return 0;
    if (wait->asleep_ns == 0 && wait->kind != WAIT_GAP) {
        wait->means = MEANS_NOTHING;
        return 0;
    }
    if (wait->kind == WAIT_GAP)
        return wait->asleep_ns > 0 ? find_gap(wakers, thread, wait) : 0;
    if (!wait->taken) {
        doubts->kept += !wait->open;
        doubts->kept_ns += wait->open ? 0 : wait->asleep_ns;
        return 0;
    }
    if (wait->kind == FISQL_LOCK_KIND_THREAD && wait->holder != NONE && wait->holder != thread)
        return await_end(wakers, wait, wait->holder);
    if (wait->kind == FISQL_LOCK_KIND_CONDITION)
        return find_condition(wakers, thread, wait);
    if (wait->kind == FISQL_LOCK_KIND_SEMAPHORE) {
        const struct signal_call *posted = signal_before(wakers->building, SIGNAL_SEMAPHORE, thread,
                                                         wait->start_ns, wait->until_ns);
        if (posted != NULL)
            return await_post(wakers, wait, posted->thread, posted->ns);
    }
    if (wait->kind <= FISQL_LOCK_KIND_SPIN)
        waker = last_owner(wakers, thread, wait);
    if (waker == NONE)
        waker = only_runner(wakers, thread, wait->until_ns);
    if (waker == NONE) {
        doubts->unknown++;
        doubts->unknown_ns += wait->asleep_ns;
        return 0;
    }
    doubts->inferred++;
    doubts->inferred_ns += wait->asleep_ns;
    return await_post(wakers, wait, waker, wait->until_ns);
}

/* ---- barriers ---- */

static int by_lock_start(const void *left, const void *right)
{
    const struct lock_wait *a = left, *b = right;
    if (a->lock != b->lock)
        return a->lock < b->lock ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static int by_lock_until(const void *left, const void *right)
{
    const struct lock_wait *a = left, *b = right;
    if (a->lock != b->lock)
        return a->lock < b->lock ? -1 : 1;
    if (a->until_ns != b->until_ns)
        return a->until_ns < b->until_ns ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static int collect_waits(struct wakers *wakers, bool barriers)
{
    struct building *building = wakers->building;
    wakers->waits_count = 0;
    for (uint32_t i = 0; i < building->graph->view->threads_count; i++)
        for (uint32_t k = 0; k < building->threads[i].count; k++) {
            const struct wait *wait = &building->threads[i].items[k];
            bool is_barrier = wait->kind == FISQL_LOCK_KIND_BARRIER;
            if (!wait->taken || wait->lock == NONE || wait->means != MEANS_SLEEP ||
                is_barrier != barriers || (!barriers && wait->kind > FISQL_LOCK_KIND_SPIN))
                continue;
            struct lock_wait item = {wait->lock, i, k, wait->start_ns, wait->until_ns};
            if (array_add(&wakers->waits, &wakers->waits_count, &wakers->waits_capacity, item,
                          NULL) != 0)
                return fail("out of memory for %zu waits", wakers->waits_count);
        }
    array_sort(wakers->waits, wakers->waits_count, barriers ? by_lock_start : by_lock_until);
    return 0;
}

/* The waits from .. to met at a barrier: all go on when the last has come. */
static int meet(struct wakers *wakers, size_t from, size_t to)
{
    uint32_t event = graph_event(wakers->building->graph, (uint32_t)(to - from));
    int64_t last_ns = wakers->waits[to - 1].start_ns;
    for (size_t i = from; i < to; i++) {
        const struct lock_wait *at = &wakers->waits[i];
        struct wait *wait = &wakers->building->threads[at->thread].items[at->wait];
        struct mark mark = {
            .ns = wait->start_ns, .what = MARK_POST, .order = 2 * at->wait, .target = event};
        if (await(wakers, wait, event, wait->until_ns - last_ns) != 0 ||
            mark_add(wakers->building, at->thread, mark) != 0)
            return 2;
    }
    return 0;
}

static int find_barriers(struct wakers *wakers)
{
    int status = collect_waits(wakers, true);
    for (size_t from = 0, to; from < wakers->waits_count && status == 0; from = to) {
        int64_t first_until_ns = wakers->waits[from].until_ns;
        for (to = from + 1;
             to < wakers->waits_count && wakers->waits[to].lock == wakers->waits[from].lock &&
             wakers->waits[to].start_ns <= first_until_ns;
             to++)
            if (wakers->waits[to].until_ns < first_until_ns)
                first_until_ns = wakers->waits[to].until_ns;
        status = meet(wakers, from, to);
    }
    return status;
}

static int by_ns(const void *left, const void *right)
{
    const struct ending *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns < b->ns ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static int collect_endings(struct wakers *wakers)
{
    const struct run_view *view = wakers->building->graph->view;
    wakers->endings_count = view->threads_count;
    wakers->endings = calloc(view->threads_count + 1, sizeof *wakers->endings);
    if (wakers->endings == NULL)
        return fail("out of memory");
    for (uint32_t i = 0; i < view->threads_count; i++)
        wakers->endings[i] = (struct ending){view->threads[i].end_ns, i};
    array_sort(wakers->endings, wakers->endings_count, by_ns);
    return 0;
}

int wakers_find(struct building *building)
{
    struct wakers wakers = {.building = building};
    int status = read_processes(&wakers);
    if (status == 0)
        status = collect_endings(&wakers);
    if (status == 0)
        status = find_joined(&wakers);
    if (status == 0)
        status = find_beginnings(&wakers);
    if (status == 0)
        status = find_barriers(&wakers);
    if (status == 0)
        status = collect_waits(&wakers, false);
    for (uint32_t i = 0; i < building->graph->view->threads_count && status == 0; i++)
        for (size_t k = 0; k < building->threads[i].count && status == 0; k++)
            status = find_waker(&wakers, i, &building->threads[i].items[k]);
    free(wakers.processes);
    free(wakers.waits);
    free(wakers.endings);
    free(wakers.joins);
    return status;
}
