/*
 * The simulation: see replay.h.
 *
 * Threads that run share the processors equally, so one clock does for all of them: it goes as fast
 * as a thread that runs gets on, and each running thread is done when the clock shows a number that
 * was known when its stretch began. Waits end by time. Both lie in heaps.
 */
#include "cli/whatif/replay_parts.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>

#include "base/heap.h"
#include "cli/out/say.h"

static bool due_before(const void *left, const void *right)
{
    const struct due *a = left, *b = right;
    return a->at != b->at ? a->at < b->at : a->thread < b->thread;
}

static void due_add(struct dues *dues, double at, uint32_t thread)
{
    size_t place = dues->count++;
    struct due due = {at, thread};
    for (; place > 0 && due_before(&due, &dues->items[(place - 1) / 2]); place = (place - 1) / 2)
        dues->items[place] = dues->items[(place - 1) / 2];
    dues->items[place] = due;
}

static uint32_t due_take(struct dues *dues)
{
    uint32_t thread = dues->items[0].thread;
    dues->items[0] = dues->items[--dues->count];
    heap_sift(dues->items, dues->count, 0, due_before);
    return thread;
}

#define AWAKE_NS                                                                                   \
    200000.0 /* an awakened thread that takes longer to run was kept from it by others */

/* From an event until the thread that waits for it goes on. */
static double latency_ns(const struct simulation *simulation, const struct graph_op *op)
{
    double ns = (double)op->ns;
    return simulation->plan->raw || ns < AWAKE_NS ? ns : AWAKE_NS;
}

/* A number that is as good as random, and always the same. */
static uint32_t dice(uint32_t number)
{
    return (uint32_t)((number + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 33);
}

/* ---- what a thread does next ---- */

static void run_for(struct simulation *simulation, uint32_t thread, double ns, double load)
{
    simulation->runners[thread].load = load;
    simulation->load += load;
    due_add(&simulation->running, simulation->clock + ns, thread);
}

/* Begins to run; false if there is nothing to do. */
static bool run(struct simulation *simulation, uint32_t thread, const struct graph_op *op)
{
    struct runner *runner = &simulation->runners[thread];
    struct stretch stretch = stretch_of(simulation, op);
    runner->parallel_ns = stretch.parallel_ns;
    runner->speedup = stretch.speedup;
    if (stretch.serial_ns > 0)
        run_for(simulation, thread, stretch.serial_ns, 1);
    else if (stretch.parallel_ns > 0) {
        runner->parallel_ns = 0;
        run_for(simulation, thread, stretch.parallel_ns / stretch.speedup, stretch.speedup);
    }
    return stretch.serial_ns > 0 || stretch.parallel_ns > 0;
}

static void sleep_until(struct simulation *simulation, uint32_t thread, double ns)
{
    due_add(&simulation->sleeping, ns > simulation->now_ns ? ns : simulation->now_ns, thread);
}

/* How long the thread sleeps, with the changes. */
static double sleep_ns(const struct simulation *simulation, uint32_t thread,
                       const struct graph_op *op)
{
    double ns = (double)op->ns;
    if ((op->flags & (OP_PLAIN | OP_ASIDE)) != 0)
        return ns;
    ns *= simulation->wait_factor[op->owner];
    if (simulation->active[op->spread] != NULL)
        ns /= simulation->active[op->spread]->speedup;
    if (simulation->active[op->overlaps] == NULL)
        return ns;
    double *since =
        &simulation
             ->overlap_since[(size_t)thread * (simulation->plan->all->count + 1) + op->overlaps];
    if (*since >= 0)
        ns -= simulation->now_ns - *since;
    if (ns < 0)
        ns = 0;
    *since = simulation->now_ns + ns;
    return ns;
}

static struct lock_state *lock_of(struct simulation *simulation, const struct graph_op *op)
{
    uint32_t split = simulation->splits[op->target];
    return &simulation->locks[simulation->lock_base[op->target] +
                              (split > 1 ? dice(op->number) % split : 0)];
}

static bool is_unlocked(const struct simulation *simulation, const struct graph_op *op)
{
    return dice(op->number) % 100 < simulation->unlocked[op->target];
}

/* Takes the lock; false if the thread has to wait for it. */
static bool acquire(struct simulation *simulation, uint32_t thread, const struct graph_op *op)
{
    if (is_unlocked(simulation, op))
        return true;
    struct lock_state *lock = lock_of(simulation, op);
    bool reads = (op->flags & OP_READS) != 0;
    if (!lock->alone && (lock->readers == 0 || (reads && lock->first == NONE))) {
        lock->alone = !reads;
        lock->readers += reads;
        return true;
    }
    struct runner *runner = &simulation->runners[thread];
    runner->next = NONE;
    runner->blocked = true;
    if (lock->first == NONE)
        lock->first = thread;
    else
        simulation->runners[lock->last].next = thread;
    lock->last = thread;
    return false;
}

/* The first of the queue are awakened, as many as can have the lock at once. While they wake up the lock
 * is free, and who comes then has it, as with a futex: they wait again. */
static void hand_over(struct simulation *simulation, struct lock_state *lock)
{
    bool to_readers = lock->readers > 0;
    while (lock->first != NONE && !lock->alone) {
        uint32_t thread = lock->first;
        struct runner *runner = &simulation->runners[thread];
        const struct graph_op *op = &simulation->graph->ops[runner->op];
        double wakes_ns = latency_ns(simulation, op);
        bool reads = (op->flags & OP_READS) != 0;
        if (!reads && to_readers)
            return;
        to_readers = reads;
        runner->waking = wakes_ns > 0;
        if (!runner->waking) {
            lock->alone = !reads;
            lock->readers += reads;
        }
        lock->first = runner->next;
        runner->blocked = false;
        runner->cause = lock->cause;
        sleep_until(simulation, thread, simulation->now_ns + wakes_ns);
        if (!reads)
            return;
    }
}

static void release(struct simulation *simulation, uint32_t thread, const struct graph_op *op)
{
    if (is_unlocked(simulation, op))
        return;
    struct lock_state *lock = lock_of(simulation, op);
    if (lock->readers > 0)
        lock->readers--;
    else
        lock->alone = false;
    lock->cause = simulation->runners[thread].op;
    hand_over(simulation, lock);
}

static void post(struct simulation *simulation, uint32_t thread, const struct graph_op *op)
{
    struct event_state *event = &simulation->events[op->target];
    double ns = simulation->now_ns + latency_ns(simulation, op);
    if (ns > event->ns || event->posts == 0) {
        event->ns = ns;
        event->cause = simulation->runners[thread].op;
    }
    if (++event->posts < simulation->graph->events[op->target])
        return;
    while (event->first != NONE) {
        uint32_t waits = event->first;
        struct runner *runner = &simulation->runners[waits];
        event->first = runner->next;
        runner->blocked = false;
        runner->cause = event->cause;
        sleep_until(simulation, waits,
                    event->ns + latency_ns(simulation, &simulation->graph->ops[runner->op]));
    }
}

/* Has the wait for a lock that is not modelled gone, with the lock's change? */
static bool is_cut(const struct simulation *simulation, const struct graph_op *op)
{
    if (op->lock == 0)
        return false;
    uint32_t lock = op->lock - 1u;
    return dice(op->number) % 100 < simulation->unlocked[lock] ||
           (simulation->splits[lock] > 1 && dice(op->number) % simulation->splits[lock] != 0);
}

/* Waits for the event; false if the thread has to. */
static bool await(struct simulation *simulation, uint32_t thread, const struct graph_op *op)
{
    struct event_state *event = &simulation->events[op->target];
    struct runner *runner = &simulation->runners[thread];
    if (is_cut(simulation, op))
        return true;
    if (event->posts < simulation->graph->events[op->target]) {
        runner->next = event->first;
        runner->blocked = true;
        event->first = thread;
        return false;
    }
    if (event->ns <= simulation->now_ns && (op->flags & OP_ALWAYS) == 0)
        return true;
    runner->cause = event->cause;
    sleep_until(simulation, thread, event->ns + latency_ns(simulation, op));
    return false;
}

/* Does the operation; false if that takes time. */
static bool do_now(struct simulation *simulation, uint32_t thread, const struct graph_op *op)
{
    switch (op->kind) {
    case OP_RUN:
        return !run(simulation, thread, op);
    case OP_SLEEP:
        if ((op->flags & OP_ASIDE) != 0 && !simulation->plan->raw)
            return true;
        sleep_until(simulation, thread, simulation->now_ns + sleep_ns(simulation, thread, op));
        return false;
    case OP_ACQUIRE:
        return acquire(simulation, thread, op);
    case OP_RELEASE:
        release(simulation, thread, op);
        return true;
    case OP_POST:
        post(simulation, thread, op);
        return true;
    default:
        return await(simulation, thread, op);
    }
}

static void note_done(struct simulation *simulation, struct runner *runner)
{
    if (simulation->done_ns != NULL) {
        simulation->done_ns[runner->op] = simulation->now_ns;
        simulation->cause[runner->op] = runner->cause;
    }
    runner->cause = NONE;
    runner->op++;
}

/* The thread goes on until something takes time. */
static void go_on(struct simulation *simulation, uint32_t thread)
{
    struct runner *runner = &simulation->runners[thread];
    while (runner->op < runner->end) {
        if (!do_now(simulation, thread, &simulation->graph->ops[runner->op]))
            return;
        note_done(simulation, runner);
    }
    if (simulation->graph->threads[thread].ends_run) {
        simulation->enders--;
        simulation->last = thread;
    }
}

/* A wait is over, if nobody has the lock that it was for. */
static void wake(struct simulation *simulation, uint32_t thread)
{
    struct runner *runner = &simulation->runners[thread];
    bool tries = runner->waking;
    runner->waking = false;
    if (tries && !acquire(simulation, thread, &simulation->graph->ops[runner->op]))
        return;
    note_done(simulation, runner);
    go_on(simulation, thread);
}

/* ---- time goes by ---- */

static double rate(const struct simulation *simulation)
{
    double processors = simulation->plan->processors;
    return simulation->load > processors && !simulation->plan->raw ? processors / simulation->load
                                                                   : 1;
}

/* Takes the thread out of the queue that it waits in, and lets it go on. */
static void let_go(struct simulation *simulation, uint32_t thread)
{
    struct runner *runner = &simulation->runners[thread];
    const struct graph_op *op = &simulation->graph->ops[runner->op];
    struct lock_state *lock = op->kind == OP_ACQUIRE ? lock_of(simulation, op) : NULL;
    uint32_t *link = lock != NULL ? &lock->first : &simulation->events[op->target].first;
    uint32_t before = NONE;
    while (*link != NONE && *link != thread) {
        before = *link;
        link = &simulation->runners[before].next;
    }
    if (*link == thread)
        *link = runner->next;
    if (lock != NULL && lock->last == thread)
        lock->last = before;
    runner->blocked = false;
    simulation->forced++;
    sleep_until(simulation, thread, simulation->now_ns);
}

/* All threads wait for each other: the order in which they take locks is another one than in the
 * run, and does not go with the rest. One goes on as if its wait were over, rather one that waits
 * for a lock. */
static bool force(struct simulation *simulation)
{
    for (int locks = 1; locks >= 0; locks--)
        for (size_t i = simulation->graph->view->threads_count; i-- > 0;) {
            const struct runner *runner = &simulation->runners[i];
            if (!runner->blocked ||
                (locks && simulation->graph->ops[runner->op].kind != OP_ACQUIRE))
                continue;
            let_go(simulation, (uint32_t)i);
            return true;
        }
    return false;
}

/* Goes to the next instant at which something happens; false at the end. */
static bool step(struct simulation *simulation)
{
    struct dues *running = &simulation->running, *sleeping = &simulation->sleeping;
    double pace = rate(simulation), runs_ns = INFINITY, sleeps_ns = INFINITY;
    if (running->count > 0)
        runs_ns = simulation->now_ns + (running->items[0].at - simulation->clock) / pace;
    if (sleeping->count > 0)
        sleeps_ns = sleeping->items[0].at;
    if (running->count == 0 && sleeping->count == 0)
        return force(simulation);
    if (sleeps_ns < runs_ns) {
        uint32_t thread = due_take(sleeping);
        simulation->clock += (sleeps_ns - simulation->now_ns) * pace;
        simulation->now_ns = sleeps_ns;
        wake(simulation, thread);
        return true;
    }
    simulation->clock = running->items[0].at;
    uint32_t thread = due_take(running);
    struct runner *runner = &simulation->runners[thread];
    if (runs_ns > simulation->now_ns)
        simulation->now_ns = runs_ns;
    simulation->load -= runner->load;
    if (running->count == 0)
        simulation->load = 0;
    if (runner->parallel_ns > 0) {
        double ns = runner->parallel_ns / runner->speedup;
        runner->parallel_ns = 0;
        run_for(simulation, thread, ns, runner->speedup);
        return true;
    }
    note_done(simulation, runner);
    go_on(simulation, thread);
    return true;
}

/* ---- the plan ---- */

static void scale(struct simulation *simulation, const struct change *change, double *factors,
                  double factor)
{
    for (uint32_t class = CLASSES_FIRST; class < simulation->graph->classes_count; class ++)
        if (change->functions[simulation->graph->classes[class].function])
            factors[class] *= factor;
}

/* What a pool saves of the functions that allocate and free. */
static void scale_pooled(struct simulation *simulation, const struct change *change)
{
    for (uint32_t i = 0; change->saves_ns != NULL && i < simulation->graph->classes_count; i++) {
        double self_ns = (double)simulation->graph->classes[i].self_ns;
        if (change->saves_ns[i] > 0)
            simulation->run_factor[i] *=
                change->saves_ns[i] < self_ns ? 1 - change->saves_ns[i] / self_ns : 0;
    }
}

static void plan_change(struct simulation *simulation, const struct change *change)
{
    const struct graph *graph = simulation->graph;
    switch (change->kind) {
    case CHANGE_SCALE:
        scale(simulation, change, simulation->run_factor, change->value);
        break;
    case CHANGE_WAIT:
        scale(simulation, change, simulation->wait_factor, change->value);
        break;
    case CHANGE_POOL:
        scale_pooled(simulation, change);
        break;
    case CHANGE_SPLIT:
    case CHANGE_UNLOCK:
        for (size_t i = 0; i < graph->locks_count; i++) {
            if (change->locks[i] && change->kind == CHANGE_SPLIT)
                simulation->splits[i] = (uint32_t)change->value;
            else if (change->locks[i])
                simulation->unlocked[i] = (uint32_t)change->value;
        }
        break;
    default:
        simulation->active[change - simulation->plan->all->items + 1] = change;
        break;
    }
}

static int plan_locks(struct simulation *simulation)
{
    size_t count = 0;
    for (size_t i = 0; i < simulation->graph->locks_count; i++) {
        simulation->lock_base[i] = count;
        count += simulation->splits[i];
    }
    simulation->locks = calloc(count + 1, sizeof *simulation->locks);
    for (size_t i = 0; simulation->locks != NULL && i < count; i++)
        simulation->locks[i].first = NONE;
    return simulation->locks != NULL ? 0 : fail("out of memory");
}

static int allocate(struct simulation *simulation, bool with_path)
{
    const struct graph *graph = simulation->graph;
    size_t threads = graph->view->threads_count + 1, locks = graph->locks_count + 1;
    size_t changes = simulation->plan->all->count + 1;
    simulation->runners = calloc(threads, sizeof *simulation->runners);
    simulation->running.items = calloc(threads, sizeof *simulation->running.items);
    simulation->sleeping.items = calloc(threads, sizeof *simulation->sleeping.items);
    simulation->events = calloc(graph->events_count + 1, sizeof *simulation->events);
    simulation->lock_base = calloc(locks, sizeof *simulation->lock_base);
    simulation->splits = calloc(locks, sizeof *simulation->splits);
    simulation->unlocked = calloc(locks, sizeof *simulation->unlocked);
    simulation->run_factor = calloc(graph->classes_count, sizeof *simulation->run_factor);
    simulation->wait_factor = calloc(graph->classes_count, sizeof *simulation->wait_factor);
    simulation->overlap_since = calloc(threads * changes, sizeof *simulation->overlap_since);
    simulation->active = calloc(changes, sizeof *simulation->active);
    if (with_path) {
        simulation->done_ns = calloc(graph->ops_count + 1, sizeof *simulation->done_ns);
        simulation->cause = calloc(graph->ops_count + 1, sizeof *simulation->cause);
    }
    bool all = simulation->runners != NULL && simulation->running.items != NULL &&
               simulation->sleeping.items != NULL && simulation->events != NULL &&
               simulation->lock_base != NULL && simulation->splits != NULL &&
               simulation->unlocked != NULL && simulation->run_factor != NULL &&
               simulation->wait_factor != NULL && simulation->overlap_since != NULL &&
               simulation->active != NULL &&
               (!with_path || (simulation->done_ns != NULL && simulation->cause != NULL));
    if (!all)
        return fail("out of memory for a replay of %zu operations", graph->ops_count);
    for (size_t i = 0; i < threads * changes; i++)
        simulation->overlap_since[i] = -1;
    for (size_t i = 0; i < graph->events_count; i++)
        simulation->events[i].first = NONE;
    for (size_t i = 0; i < graph->locks_count; i++)
        simulation->splits[i] = 1;
    for (uint32_t i = 0; i < graph->classes_count; i++)
        simulation->run_factor[i] = simulation->wait_factor[i] = 1;
    return 0;
}

static void simulation_release(struct simulation *simulation)
{
    free(simulation->runners);
    free(simulation->running.items);
    free(simulation->sleeping.items);
    free(simulation->events);
    free(simulation->locks);
    free(simulation->lock_base);
    free(simulation->splits);
    free(simulation->unlocked);
    free(simulation->run_factor);
    free(simulation->wait_factor);
    free(simulation->overlap_since);
    free(simulation->active);
    free(simulation->done_ns);
    free(simulation->cause);
}

static void simulate(struct simulation *simulation)
{
    const struct graph *graph = simulation->graph;
    uint32_t count = (uint32_t)graph->view->threads_count;
    for (uint32_t i = 0; i < count; i++) {
        simulation->runners[i] =
            (struct runner){.op = (uint32_t)graph->threads[i].first_op,
                            .end = (uint32_t)(graph->threads[i].first_op + graph->threads[i].ops),
                            .next = NONE,
                            .cause = NONE};
        simulation->enders += graph->threads[i].ends_run;
    }
    for (uint32_t i = 0; i < count; i++)
        go_on(simulation, i);
    while (simulation->enders > 0 && step(simulation))
        ;
}

int replay_run(const struct replay_plan *plan, bool with_path, struct replay *replay)
{
    struct simulation simulation = {.plan = plan, .graph = plan->graph, .last = NONE};
    *replay = (struct replay){.end_ns = 0};
    int status = allocate(&simulation, with_path);
    for (size_t i = 0; i < plan->changes_count && status == 0; i++)
        plan_change(&simulation, plan->changes[i]);
    if (status == 0)
        status = plan_locks(&simulation);
    if (status == 0) {
        simulate(&simulation);
        replay->end_ns = simulation.now_ns;
        replay->forced = simulation.forced;
    }
    if (status == 0 && with_path)
        status = path_find(&simulation, &replay->path);
    simulation_release(&simulation);
    return status;
}

void replay_release(struct replay *replay)
{
    free(replay->path.run_ns);
    free(replay->path.sleep_ns);
    free(replay->path.lock_ns);
    replay->path = (struct replay_path){.run_ns = NULL};
}

double processors_here(void)
{
    cpu_set_t processors;
    if (sched_getaffinity(0, sizeof processors, &processors) != 0)
        return 1;
    return CPU_COUNT(&processors);
}
