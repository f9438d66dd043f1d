/*
 * The waits of a run, by thread: those for locks, conditions, threads ... that were recorded as such,
 * and the other gaps between two events in which a thread was off the processor. In a gap it is not
 * known when the thread slept: we let it sleep first.
 */
#include "cli/whatif/graph_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/out/say.h"
#include "cli/run/database.h"

#define ROWS_MAX (1 << 26) /* waits and acquisitions */

static uint8_t kind_of(const char *name)
{
    static const char *const names[] = {
#define NAME(constant, number, name) name,
        FISQL_LOCK_KINDS(NAME)
#undef NAME
    };
    for (uint8_t i = 0; name != NULL && i < FISQL_LOCK_KINDS_COUNT; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return WAIT_UNKNOWN;
}

int locks_read(struct building *building)
{
    struct graph *graph = building->graph;
    sqlite3_stmt *row = NULL;
    if (database_rows(building->database,
                      "SELECT l.id, l.name, l.variable, l.kind,"
                      " (SELECT sum(hold_ns) FROM lock_holds h WHERE h.lock_id = l.id),"
                      " (SELECT sum(times) FROM lock_holds h WHERE h.lock_id = l.id) FROM "
                      "lock_details l ORDER BY l.id",
                      "the locks", &row) != 0)
        return 2;
    while (sqlite3_step(row) == SQLITE_ROW) {
        struct graph_lock lock = {.id = sqlite3_column_int64(row, 0)};
        lock.name = database_copy(row, 1);
        lock.variable = database_copy(row, 2);
        lock.kind = kind_of(database_shown(row, 3));
        lock.hold_ns = run_within(sqlite3_column_int64(row, 4), 0, RUN_NS_MAX);
        lock.times = run_within(sqlite3_column_int64(row, 5), 0, RUN_CALL_ID_MAX);
        if (lock.name == NULL)
            lock.name = strdup("lock");
        if (lock.name == NULL || array_add(&graph->locks, &graph->locks_count,
                                           &graph->locks_capacity, lock, NULL) != 0) {
            free(lock.name);
            free(lock.variable);
            return database_rows_short(row);
        }
        graph->doubts.user_locks += lock.kind == FISQL_LOCK_KIND_USER;
    }
    graph->doubts.locks_recorded = graph->locks_count > 0;
    return database_rows_end(row, "the locks");
}

static uint32_t frame_of(const struct graph *graph, sqlite3_stmt *row, int column)
{
    int64_t frame = sqlite3_column_int64(row, column);
    return frame > 0 && (uint64_t)frame < graph->view->frames_count ? (uint32_t)frame : 0;
}

/* Adds the wait to its thread's, with what its context says of it. 0, or -1 without memory. */
static int wait_add(struct building *building, uint32_t thread, uint32_t frame, struct wait wait)
{
    struct thread_waits *waits = &building->threads[thread];
    wait.event = wait.waker = NONE;
    wait.owner = frame != 0 ? building->owner_of[frame] : CLASS_OUTSIDE;
    wait.overlaps = building->overlaps_of[frame];
    wait.spread = building->spread_of[frame];
    if (waits->count >= ROWS_MAX)
        return -1;
    return array_add(&waits->items, &waits->count, &waits->capacity, wait, NULL);
}

static int read_lock_waits(struct building *building)
{
    static const char sql[] = "SELECT w.thread_id, w.lock_id, w.frame_id, w.mode = 'read', "
                              "w.start_ns, w.wait_ns, w.ended,"
                              " w.mutex_id, w.held_by_thread_id FROM lock_waits w"
                              " WHERE ?1 OR w.wait_ns > 0 OR w.lock_id IN (SELECT lock_id FROM "
                              "lock_waits WHERE wait_ns > 0"
                              " UNION SELECT mutex_id FROM lock_waits WHERE mutex_id IS NOT NULL)";
    struct graph *graph = building->graph;
    sqlite3_stmt *row = NULL;
    if (database_rows(building->database, sql, "the waits", &row) != 0)
        return 2;
    sqlite3_bind_int(row, 1, building->all_locks);
    while (sqlite3_step(row) == SQLITE_ROW) {
        uint32_t thread = thread_of_id(graph, sqlite3_column_int64(row, 0));
        uint32_t lock = lock_of_id(graph, sqlite3_column_int64(row, 1));
        const char *ended = database_shown(row, 6);
        if (thread == NONE || lock == NONE || ended == NULL)
            continue;
        struct wait wait = {.lock = lock, .kind = graph->locks[lock].kind};
        wait.reads = sqlite3_column_int(row, 3) != 0;
        wait.start_ns = run_within(sqlite3_column_int64(row, 4), 0, RUN_NS_MAX);
        wait.asleep_ns = run_within(sqlite3_column_int64(row, 5), 0, RUN_NS_MAX - wait.start_ns);
        wait.until_ns = wait.start_ns + wait.asleep_ns;
        wait.taken = strcmp(ended, "taken") == 0;
        wait.open = strcmp(ended, "open") == 0;
        wait.mutex = lock_of_id(graph, sqlite3_column_int64(row, 7));
        wait.holder = thread_of_id(graph, sqlite3_column_int64(row, 8));
        graph->locks[lock].wait_ns += wait.asleep_ns;
        graph->locks[lock].waits += wait.asleep_ns > 0;
        if (wait.kind == FISQL_LOCK_KIND_USER)
            continue;
        if (wait_add(building, thread, frame_of(graph, row, 2), wait) != 0)
            return database_rows_short(row);
    }
    return database_rows_end(row, "the waits");
}

static int read_gaps(struct building *building)
{
    sqlite3_stmt *row = NULL;
    if (database_rows(
            building->database,
            "SELECT thread_id, frame_id, start_ns, wall_ns, wait_ns, preempted_ns FROM gaps",
            "the gaps", &row) != 0)
        return 2;
    while (sqlite3_step(row) == SQLITE_ROW) {
        uint32_t thread = thread_of_id(building->graph, sqlite3_column_int64(row, 0));
        struct wait wait = {.kind = WAIT_GAP, .lock = NONE, .mutex = NONE, .holder = NONE};
        wait.start_ns = run_within(sqlite3_column_int64(row, 2), 0, RUN_NS_MAX);
        int64_t wall_ns = run_within(sqlite3_column_int64(row, 3), 0, RUN_NS_MAX - wait.start_ns);
        wait.asleep_ns = run_within(sqlite3_column_int64(row, 4), 0, wall_ns);
        wait.preempted_ns = run_within(sqlite3_column_int64(row, 5), 0, wall_ns - wait.asleep_ns);
        wait.until_ns = wait.start_ns + wall_ns;
        uint32_t frame = frame_of(building->graph, row, 1);
        const struct run_view *view = building->graph->view;
        wait.reads =
            frame != 0 && view->frames[frame].function != 0 &&
            signals_function_reads(view->functions[view->frames[frame].function].short_name);
        if (thread != NONE && wait_add(building, thread, frame, wait) != 0)
            return database_rows_short(row);
    }
    return database_rows_end(row, "the gaps");
}

/* Recorded waits before the gaps that they are. */
static int by_start(const void *left, const void *right)
{
    const struct wait *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    if (a->until_ns != b->until_ns)
        return a->until_ns < b->until_ns ? -1 : 1;
    return (a->kind == WAIT_GAP) - (b->kind == WAIT_GAP);
}

/* Takes out the gaps that lie in a recorded wait, and makes no wait overlap the one before. */
static void take_out_twice(struct thread_waits *waits)
{
    size_t kept = 0;
    int64_t until_ns = INT64_MIN;
    for (size_t i = 0; i < waits->count; i++) {
        struct wait wait = waits->items[i];
        bool is_gap = wait.kind == WAIT_GAP;
        /* a gap that begins with a recorded wait of its length is this wait */
        if (is_gap && i + 1 < waits->count && waits->items[i + 1].kind != WAIT_GAP &&
            waits->items[i + 1].start_ns == wait.start_ns && waits->items[i + 1].asleep_ns > 0)
            continue;
        if (is_gap && wait.start_ns < until_ns)
            continue;
        if (wait.start_ns < until_ns) {
            wait.start_ns = until_ns;
            if (wait.until_ns < until_ns)
                wait.until_ns = until_ns;
            wait.asleep_ns = wait.until_ns - wait.start_ns;
        }
        if (!is_gap)
            until_ns = wait.until_ns;
        else if (wait.start_ns + wait.asleep_ns + wait.preempted_ns > until_ns)
            until_ns = wait.start_ns + wait.asleep_ns + wait.preempted_ns;
        waits->items[kept++] = wait;
    }
    waits->count = kept;
}

/* A thread that looks around this long between two waits does not work. */
#define AROUND_NS 100000
#define AROUND_PART 100

/* Does the wait go on after the one for the same condition that timed out before it? */
static bool goes_on(const struct wait *before, const struct wait *wait)
{
    int64_t around_ns = before->asleep_ns / AROUND_PART;
    if (around_ns < AROUND_NS)
        around_ns = AROUND_NS;
    return wait->kind == FISQL_LOCK_KIND_CONDITION && wait->lock == before->lock &&
           wait->mutex == before->mutex && wait->start_ns - before->until_ns <= around_ns;
}

/* Threads wait with a timeout, such as to show progress, and then again: that is one wait, which ends
 * sooner if what it is for comes sooner. Takes out the timeouts, and what was done of their mutex. */
static void join_timeouts(struct thread_waits *waits)
{
    size_t kept = 0, first = 0; /* of what `kept` ends by: the timeout; kept = there is none */
    for (size_t i = 0; i < waits->count; i++) {
        struct wait wait = waits->items[i];
        bool after = first < kept;
        if (after && goes_on(&waits->items[first], &wait)) {
            wait.start_ns = waits->items[first].start_ns;
            wait.asleep_ns = wait.until_ns - wait.start_ns;
            kept = first;
            after = false;
        }
        bool is_timeout = wait.kind == FISQL_LOCK_KIND_CONDITION && !wait.taken && !wait.open;
        bool of_mutex = after && wait.lock == waits->items[first].mutex && wait.asleep_ns == 0;
        waits->items[kept++] = wait;
        if (is_timeout)
            first = kept - 1;
        else if (!of_mutex)
            first = kept;
    }
    waits->count = kept;
}

int waits_read(struct building *building)
{
    int status = read_lock_waits(building);
    if (status == 0)
        status = read_gaps(building);
    for (size_t i = 0; i < building->graph->view->threads_count && status == 0; i++) {
        struct thread_waits *waits = &building->threads[i];
        array_sort(waits->items, waits->count, by_start);
        take_out_twice(waits);
        join_timeouts(waits);
        for (size_t k = 0; k < waits->count; k++)
            waits->items[k].number = (uint32_t)(k * 64 + i % 64); /* to be split by */
    }
    return status;
}
