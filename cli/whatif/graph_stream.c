/*
 * From the calls of each thread to its operations: one pass over the rows of calls in the order of
 * their ids, with a stack of those that are open. Between two marks (graph_parts.h) time is added up
 * by function; a mark ends the stretch.
 *
 * The hooks' cost is a debt: a call owes its inside part, its caller the outside part. A stretch pays
 * what its time allows, and the next one pays the rest; what is left in the end the stretches before
 * pay. So sums over a thread are those that the rollups have (schema.sql).
 */
#include "cli/whatif/graph_parts.h"

#include <stdlib.h>

#include "base/array.h"
#include "cli/out/say.h"
#include "cli/run/database.h"

struct open_call {
    int64_t until_ns;
    uint32_t key;
};

struct stream {
    struct building *building;
    struct graph *graph;
    const struct run_thread *thread;
    struct thread_waits *waits;
    int64_t clock_ns;
    size_t mark;   /* the next one */
    uint32_t held; /* locks */
    struct open_call *open;
    size_t open_count, open_capacity;
    int64_t *spent_ns; /* by key, in this stretch */
    double *debt_ns;   /* by key */
    uint32_t *touched; /* keys of the stretch */
    size_t touched_count;
    sqlite3_stmt *calls, *costs;
    int64_t cost_first, cost_last; /* the range of calls that the costs are of */
    double inside_ns, outside_ns;
    bool costs_end;
    bool failed;
};

static void op_push(struct stream *stream, struct graph_op op)
{
    struct graph *graph = stream->graph;
    if (graph->ops_count >= UINT32_MAX - 1 ||
        array_add(&graph->ops, &graph->ops_count, &graph->ops_capacity, op, NULL) != 0)
        stream->failed = true;
}

/* Ends the stretch. */
static void flush(struct stream *stream)
{
    struct graph *graph = stream->graph;
    struct graph_op op = {.kind = OP_RUN, .target = (uint32_t)graph->slices_count};
    for (size_t i = 0; i < stream->touched_count; i++) {
        uint32_t key = stream->touched[i];
        int64_t raw_ns = stream->spent_ns[key];
        double pays = stream->debt_ns[key] < (double)raw_ns ? stream->debt_ns[key] : (double)raw_ns;
        struct graph_slice slice = {.class = (uint16_t)(key / KEY_SPREADS),
                                    .spread = (uint8_t)(key % KEY_SPREADS),
                                    .held = stream->held > 0,
                                    .raw_ns = raw_ns,
                                    .ns = raw_ns - (int64_t)pays};
        stream->debt_ns[key] -= (double)(raw_ns - slice.ns);
        stream->spent_ns[key] = 0;
        graph->classes[slice.class].self_ns += slice.ns;
        graph->classes[slice.class].raw_ns += slice.raw_ns;
        if (graph->slices_count >= UINT32_MAX - 1 ||
            array_add(&graph->slices, &graph->slices_count, &graph->slices_capacity, slice, NULL) !=
                0)
            stream->failed = true;
    }
    op.number = (uint32_t)(graph->slices_count - op.target);
    stream->touched_count = 0;
    if (op.number > 0)
        op_push(stream, op);
}

/* At the thread's end: what is still owed is taken from its stretches, the last ones first. */
static void pay_rest(struct stream *stream, size_t first_slice)
{
    struct graph *graph = stream->graph;
    for (size_t i = graph->slices_count; i-- > first_slice;) {
        struct graph_slice *slice = &graph->slices[i];
        double *debt_ns = &stream->debt_ns[key_make(slice->class, slice->spread)];
        int64_t pays_ns = *debt_ns < (double)slice->ns ? (int64_t)*debt_ns : slice->ns;
        slice->ns -= pays_ns;
        graph->classes[slice->class].self_ns -= pays_ns;
        *debt_ns -= (double)pays_ns;
    }
}

/* Time goes on until then, on the processor. */
static void spend(struct stream *stream, int64_t until_ns)
{
    if (until_ns <= stream->clock_ns)
        return;
    uint32_t key =
        stream->open_count > 0 ? stream->open[stream->open_count - 1].key : CLASS_OUTSIDE;
    if (stream->spent_ns[key] == 0)
        stream->touched[stream->touched_count++] = key;
    stream->spent_ns[key] += until_ns - stream->clock_ns;
    stream->clock_ns = until_ns;
}

static void take_wait(struct stream *stream, const struct wait *wait)
{
    struct graph *graph = stream->graph;
    struct graph_op op = {.overlaps = wait->overlaps,
                          .spread = wait->spread,
                          .owner = wait->owner,
                          .lock = wait->lock < UINT16_MAX - 1u ? (uint16_t)(wait->lock + 1) : 0,
                          .number = wait->number,
                          .ns = wait->asleep_ns};
    bool sleeps = wait->means == MEANS_SLEEP && wait->asleep_ns > 0;
    if (sleeps || wait->means == MEANS_ACQUIRE || wait->means == MEANS_AWAIT)
        flush(stream);
    if (sleeps) {
        op.kind = OP_SLEEP;
        op_push(stream, op);
        graph->classes[wait->owner].wait_ns += wait->asleep_ns;
        graph->classes[wait->owner].waits++;
    } else if (wait->means == MEANS_ACQUIRE) {
        op.kind = OP_ACQUIRE;
        op.flags = wait->reads ? OP_READS : 0;
        op.target = wait->lock;
        op.ns = wait->latency_ns;
        op_push(stream, op);
        stream->held++;
    } else if (wait->means == MEANS_AWAIT) {
        op.kind = OP_AWAIT;
        op.target = wait->event;
        op.ns = wait->latency_ns;
        op_push(stream, op);
    }
    if (wait->preempted_ns > 0) {
        flush(stream);
        op_push(stream,
                (struct graph_op){.kind = OP_SLEEP, .flags = OP_ASIDE, .ns = wait->preempted_ns});
    }
    int64_t until_ns = wait->kind == WAIT_GAP
                           ? wait->start_ns + wait->asleep_ns + wait->preempted_ns
                           : wait->until_ns;
    if (until_ns > stream->clock_ns)
        stream->clock_ns = until_ns;
}

static void take_mark(struct stream *stream, const struct mark *mark)
{
    struct graph_op op = {.target = mark->target, .number = mark->number, .ns = mark->delay_ns};
    switch (mark->what) {
    case MARK_WAIT:
        take_wait(stream, &stream->waits->items[mark->target]);
        return;
    case MARK_RELEASE:
        op.kind = OP_RELEASE;
        break;
    case MARK_POST:
        op.kind = OP_POST;
        break;
    default:
        op.kind = OP_AWAIT;
        break;
    }
    flush(stream);
    op_push(stream, op);
    if (mark->what == MARK_RELEASE && stream->held > 0)
        stream->held--;
}

/* Everything up to then. */
static void advance(struct stream *stream, int64_t until_ns)
{
    const struct thread_waits *waits = stream->waits;
    while (stream->mark < waits->marks_count && waits->marks[stream->mark].ns <= until_ns) {
        const struct mark *mark = &waits->marks[stream->mark++];
        spend(stream, mark->ns);
        take_mark(stream, mark);
    }
    spend(stream, until_ns);
}

/* The calls that ended before then. */
static void pop_until(struct stream *stream, int64_t ns)
{
    while (stream->open_count > 0 && stream->open[stream->open_count - 1].until_ns <= ns) {
        advance(stream, stream->open[stream->open_count - 1].until_ns);
        stream->open_count--;
    }
}

/* What the hooks of this call cost. Ranges come in order, as the calls do. */
static void find_cost(struct stream *stream, int64_t call)
{
    while (call > stream->cost_last && !stream->costs_end) {
        stream->costs_end = !database_row(stream->costs);
        if (stream->costs_end)
            return;
        stream->cost_first = sqlite3_column_int64(stream->costs, 0);
        stream->cost_last = sqlite3_column_int64(stream->costs, 1);
        stream->inside_ns = sqlite3_column_double(stream->costs, 2) / 1000;
        stream->outside_ns = sqlite3_column_double(stream->costs, 3) / 1000;
    }
    if (call < stream->cost_first || call > stream->cost_last)
        return;
    uint32_t top = (uint32_t)stream->open_count - 1;
    stream->debt_ns[stream->open[top].key] += stream->inside_ns;
    stream->debt_ns[top > 0 ? stream->open[top - 1].key : CLASS_OUTSIDE] += stream->outside_ns;
}

static int take_call(struct stream *stream)
{
    sqlite3_stmt *row = stream->calls;
    int64_t frame = sqlite3_column_int64(row, 1);
    int64_t enter_ns = run_within(sqlite3_column_int64(row, 2), 0, RUN_NS_MAX);
    int64_t until_ns =
        enter_ns + run_within(sqlite3_column_int64(row, 3), 0, RUN_NS_MAX - enter_ns);
    bool known = frame > 0 && (uint64_t)frame < stream->graph->view->frames_count;
    pop_until(stream, enter_ns);
    advance(stream, enter_ns);
    if (stream->open_count > 0 && until_ns > stream->open[stream->open_count - 1].until_ns)
        until_ns = stream->open[stream->open_count - 1].until_ns;
    struct open_call call = {until_ns,
                             known ? stream->building->key_of[frame] : CLASS_OTHERS * KEY_SPREADS};
    if (array_add(&stream->open, &stream->open_count, &stream->open_capacity, call, NULL) != 0)
        return -1;
    find_cost(stream, sqlite3_column_int64(row, 0));
    return stream->failed ? -1 : 0;
}

/* A thread begins when the one that creates it comes there; the first ones, when they did. */
static void begin(struct stream *stream)
{
    struct graph *graph = stream->graph;
    int64_t since_ns = stream->thread->start_ns - graph->start_ns;
    if (stream->waits->start_event != NONE)
        op_push(stream, (struct graph_op){.kind = OP_AWAIT,
                                          .flags = OP_ALWAYS,
                                          .target = stream->waits->start_event});
    else if (since_ns > 0)
        op_push(stream, (struct graph_op){.kind = OP_SLEEP, .flags = OP_PLAIN, .ns = since_ns});
}

static int by_ns(const void *left, const void *right)
{
    const struct mark *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns < b->ns ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (a->what != b->what)
        return a->what < b->what ? -1 : 1;
    return a->target < b->target ? -1 : a->target > b->target;
}

/* Puts the thread's waits among its marks. */
static int sort_marks(struct building *building, uint32_t thread)
{
    struct thread_waits *waits = &building->threads[thread];
    for (uint32_t k = 0; k < waits->count; k++) {
        struct mark mark = {.ns = waits->items[k].start_ns,
                            .what = MARK_WAIT,
                            .order = order_behind(k) - 1,
                            .target = k};
        if (waits->items[k].means != MEANS_NOTHING && mark_add(building, thread, mark) != 0)
            return 2;
    }
    array_sort(waits->marks, waits->marks_count, by_ns);
    return 0;
}

static int stream_thread(struct stream *stream, uint32_t index)
{
    struct graph *graph = stream->graph;
    stream->thread = &graph->view->threads[index];
    stream->waits = &stream->building->threads[index];
    stream->clock_ns = stream->thread->start_ns;
    stream->mark = 0;
    stream->held = 0;
    stream->open_count = 0;
    stream->cost_last = stream->cost_first = 0;
    stream->costs_end = false;
    if (sort_marks(stream->building, index) != 0)
        return 2;
    size_t first_slice = graph->slices_count;
    graph->threads[index].first_op = graph->ops_count;
    begin(stream);
    sqlite3_reset(stream->calls);
    sqlite3_reset(stream->costs);
    bool any = stream->thread->first_call > 0;
    sqlite3_bind_int64(stream->calls, 1, any ? stream->thread->first_call : 0);
    sqlite3_bind_int64(stream->calls, 2, any ? stream->thread->last_call : -1);
    sqlite3_bind_int64(stream->costs, 1, any ? stream->thread->first_call : 0);
    sqlite3_bind_int64(stream->costs, 2, any ? stream->thread->last_call : -1);
    int step;
    while ((step = sqlite3_step(stream->calls)) == SQLITE_ROW)
        if (take_call(stream) != 0)
            return fail("out of memory for the run's graph");
    if (step != SQLITE_DONE)
        return database_fail(stream->building->database, "the calls");
    pop_until(stream, INT64_MAX);
    advance(stream,
            stream->thread->end_ns > stream->clock_ns ? stream->thread->end_ns : stream->clock_ns);
    while (stream->mark < stream->waits->marks_count) /* in a damaged run: after its end */
        take_mark(stream, &stream->waits->marks[stream->mark++]);
    flush(stream);
    pay_rest(stream, first_slice);
    if (stream->waits->end_event != NONE)
        op_push(stream, (struct graph_op){.kind = OP_POST, .target = stream->waits->end_event});
    graph->threads[index].ops = graph->ops_count - graph->threads[index].first_op;
    free(stream->waits->marks);
    stream->waits->marks = NULL;
    stream->waits->marks_count = stream->waits->marks_capacity = 0;
    return stream->failed ? fail("out of memory for the run's graph") : 0;
}

int stream_calls(struct building *building)
{
    const size_t keys = (size_t)CLASSES_MAX * KEY_SPREADS;
    struct graph *graph = building->graph;
    struct stream stream = {.building = building, .graph = graph};
    stream.spent_ns = calloc(keys, sizeof *stream.spent_ns);
    stream.debt_ns = calloc(keys, sizeof *stream.debt_ns);
    stream.touched = calloc(keys, sizeof *stream.touched);
    int status = stream.spent_ns == NULL || stream.debt_ns == NULL || stream.touched == NULL
                     ? fail("out of memory")
                     : 0;
    if (status == 0)
        status = database_rows(building->database,
                               "SELECT id, frame_id, enter_ns, duration_ns FROM calls"
                               " WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
                               "the calls", &stream.calls);
    if (status == 0)
        status = database_rows(
            building->database,
            "SELECT first_call_id, last_call_id, inside_ps, outside_ps FROM hook_costs"
            " WHERE first_call_id BETWEEN ?1 AND ?2 ORDER BY first_call_id",
            "the hooks' costs", &stream.costs);
    for (uint32_t i = 0; i < graph->view->threads_count && status == 0; i++) {
        for (size_t k = 0; k < keys; k++)
            stream.debt_ns[k] = 0;
        status = stream_thread(&stream, i);
    }
    sqlite3_finalize(stream.calls);
    if (stream.costs != NULL && database_rows_end(stream.costs, "the hooks' costs") != 0)
        status = 2;
    free(stream.spent_ns);
    free(stream.debt_ns);
    free(stream.touched);
    free(stream.open);
    return status;
}
