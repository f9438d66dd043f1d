/*
 * The tables of locks, from the threads' records. Numbers of locks become rows; we add up what
 * several threads recorded of a lock; and a point of another thread's timeline becomes a call, by
 * the rows of calls.
 */
#include "loader/tables/tables_locks_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "loader/tables/lock_names.h"

/* A place in a thread: a call, and its frame. 0 = not known. */
struct place {
    uint32_t thread; /* threads.id */
    uint64_t call;
    uint32_t frame;
};

/* ---- reading ---- */

/* locks.id of a number; 0 = failure. */
static uint32_t lock_id(struct lock_tables *state, uint32_t process, uint32_t number)
{
    uint32_t index, before = state->locks.count;
    if (intern_add(&state->locks, process, number, &index, state->error) != 0 ||
        array_reserve(&state->rows, &state->rows_capacity, (size_t)index + 1, state->error) != 0)
        return 0;
    if (index == before)
        state->rows[index] = (struct lock_row){.process = process};
    return index + 1;
}

static int index_threads(struct lock_tables *state)
{
    const struct log_index *index = state->tables->index;
    state->thread_of = calloc(index->threads_count + 1, sizeof *state->thread_of);
    if (state->thread_of == NULL)
        return error_set(state->error, "out of memory");
    for (uint32_t i = 0; i < index->threads_count; i++) {
        uint32_t at;
        if (intern_add(&state->threads, index->threads[i].process, index->threads[i].thread, &at,
                       state->error) != 0)
            return -1;
        state->thread_of[at] = i;
    }
    return 0;
}

static int read_define(struct lock_tables *state, uint32_t thread, const struct decode_lock *lock)
{
    const struct log_thread *told = &state->tables->index->threads[thread];
    uint32_t id = lock_id(state, told->process, lock->lock);
    if (id == 0)
        return -1;
    struct lock_row *row = &state->rows[id - 1];
    if (row->made == NULL || lock->ns < row->made->ns) {
        row->made = lock;
        row->thread = told->id;
        row->address = extra_of(state, thread, lock)->numbers[0];
    }
    return 0;
}

static int read_ended(struct lock_tables *state, uint32_t thread, const struct decode_lock *lock)
{
    uint32_t id = lock_id(state, state->tables->index->threads[thread].process, lock->lock);
    if (id == 0)
        return -1;
    state->rows[id - 1].ended = lock;
    return 0;
}

static int read_held(struct lock_tables *state, uint32_t thread, const struct decode_lock *lock)
{
    const struct log_index *index = state->tables->index;
    uint32_t process = index->threads[thread].process, at, before = state->held.count;
    uint32_t holder = thread_index(state, process, lock->thread);
    uint32_t holder_id = holder != INTERN_NONE ? index->threads[holder].id : 0;
    uint32_t id = lock_id(state, process, lock->lock);
    const uint64_t *numbers = extra_of(state, thread, lock)->numbers;
    if (id == 0 || intern_add(&state->held, id, holder_id, &at, state->error) != 0 ||
        array_reserve(&state->holds, &state->holds_capacity, (size_t)at + 1, state->error) != 0)
        return -1;
    struct hold_row *hold = &state->holds[at];
    if (at == before)
        *hold = (struct hold_row){.lock = id, .thread = holder_id, .longest_thread = INTERN_NONE};
    hold->times += numbers[0];
    hold->ns += numbers[1];
    hold->failed += numbers[3];
    if (numbers[2] >= hold->longest_ns) {
        hold->longest_ns = numbers[2];
        hold->point = lock->point;
        hold->site = lock->site;
        hold->longest_thread = holder;
    }
    return 0;
}

static int read_order(struct lock_tables *state, uint32_t thread, const struct decode_lock *lock)
{
    uint32_t process = state->tables->index->threads[thread].process, at;
    const struct decode_lock_extra *extra = extra_of(state, thread, lock);
    if (intern_add(&state->numbers, thread, lock->thread, &at, state->error) != 0 ||
        array_reserve(&state->orders, &state->orders_capacity, (size_t)at + 1, state->error) != 0)
        return -1;
    struct order_row row = {.order = lock, .thread = thread, .times = 1};
    row.first = lock_id(state, process, lock->other);
    row.second = lock_id(state, process, lock->lock);
    for (uint32_t i = 0; i < lock->count; i++) {
        uint32_t guard = lock_id(state, process, extra->guards[i] & 0x7fffffffu);
        row.guards[i] = guard | (extra->guards[i] & 0x80000000u);
    }
    state->orders[at] = row;
    return row.first == 0 || row.second == 0 ? -1 : 0;
}

static int read_ordered(struct lock_tables *state, uint32_t thread, const struct decode_lock *lock)
{
    uint32_t process = state->tables->index->threads[thread].process;
    uint32_t whose = thread_index(state, process, lock->thread);
    uint32_t at =
        whose == INTERN_NONE ? INTERN_NONE : intern_find(&state->numbers, whose, lock->lock);
    if (at != INTERN_NONE)
        state->orders[at].times += extra_of(state, thread, lock)->numbers[0];
    return 0;
}

static int read_others(struct lock_tables *state, uint32_t thread, const struct decode_lock *lock)
{
    uint32_t process = state->tables->index->threads[thread].process;
    if (lock->other != 0 && lock_id(state, process, lock->other) == 0)
        return -1;
    return lock_id(state, process, lock->lock) == 0 ? -1 : 0;
}

/* Calls `take` for each record of these kinds. */
static int each_record(struct lock_tables *state, uint32_t whats,
                       int (*take)(struct lock_tables *, uint32_t, const struct decode_lock *))
{
    for (uint32_t i = 0; i < state->tables->index->threads_count; i++) {
        const struct decode_locks *locks = &state->tables->threads[i].locks;
        for (size_t k = 0; k < locks->count; k++)
            if ((whats >> locks->items[k].what & 1) != 0 && take(state, i, &locks->items[k]) != 0)
                return -1;
    }
    return 0;
}

static int read_records(struct lock_tables *state)
{
    return index_threads(state) != 0 ||
                   each_record(state, 1u << FISQL_LOCK_DEFINE, read_define) != 0 ||
                   each_record(state, 1u << FISQL_LOCK_ENDED, read_ended) != 0 ||
                   each_record(state, 1u << FISQL_LOCK_HELD, read_held) != 0 ||
                   each_record(state, 1u << FISQL_LOCK_ORDER, read_order) != 0 ||
                   each_record(state, 1u << FISQL_LOCK_ORDERED, read_ordered) != 0 ||
                   each_record(state,
                               1u << FISQL_LOCK_WAIT | 1u << FISQL_LOCK_TAKEN |
                                   1u << FISQL_LOCK_MISUSED,
                               read_others) != 0
               ? -1
               : 0;
}

/* ---- places ---- */

/* The innermost open call at a point of a thread: the last one that it entered, or one around
 * it. */
static struct place place_at(struct lock_tables *state, uint32_t thread, uint64_t point)
{
    struct place place = {.thread = 0};
    if (thread == INTERN_NONE)
        return place;
    const struct log_thread *told = &state->tables->index->threads[thread];
    uint64_t calls = point >> FISQL_POINT_DEPTH_BITS;
    int64_t depth = (int64_t)(point & (((uint64_t)1 << FISQL_POINT_DEPTH_BITS) - 1)) - 1;
    place.thread = told->id;
    if (calls == 0 || calls > told->call_ids || depth < 0 || state->call == NULL)
        return place;
    int64_t id = (int64_t)(told->first_call_id + calls - 1);
    for (int64_t at = depth + 1; at > depth;) {
        int status = sqlite3_bind_int64(state->call, 1, id);
        status = status == SQLITE_OK ? sqlite3_step(state->call) : status;
        if (status != SQLITE_ROW && status != SQLITE_DONE && state->place_result == 0)
            state->place_result =
                error_set(state->error, "locks: %s", insert_problem(state->database));
        bool found = status == SQLITE_ROW;
        int64_t parent = found ? sqlite3_column_int64(state->call, 0) : 0;
        at = found ? sqlite3_column_int64(state->call, 1) : -1;
        if (found && at == depth) {
            place.call = (uint64_t)id;
            place.frame = (uint32_t)sqlite3_column_int64(state->call, 2);
        }
        sqlite3_reset(state->call);
        if (at > depth && (parent <= 0 || parent >= id))
            break;
        id = parent;
    }
    return place;
}

/* The columns of a place. `begin`: of their names. */
#define COLUMNS_PLACE(begin, place)                                                                \
    column_id(begin "_thread_id", (place)->thread), column_id(begin "_call_id", (place)->call),    \
        column_id(begin "_frame_id", (place)->frame)

static const char *mode_of(bool reads)
{
    return reads ? "read" : "write";
}

/* ---- writing ---- */

static const char *kind_name(unsigned kind)
{
    static const char *const names[] = {
#define NAME(constant, number, name) name,
        FISQL_LOCK_KINDS(NAME)
#undef NAME
    };
    return names[kind];
}

static const char *misuse_name(unsigned misuse)
{
    static const char *const names[] = {
#define NAME(constant, number, name) name,
        FISQL_LOCK_MISUSES(NAME)
#undef NAME
    };
    return names[misuse];
}

/* Frees what lock_names_find() has found. */
static void release_names(struct lock_name *names, size_t count)
{
    for (size_t i = 0; names != NULL && i < count; i++)
        free(names[i].name);
    free(names);
}

/* The names of the variables in which locks lie, in the order of `rows`; NULL = failure. */
static struct lock_name *name_locks(const struct lock_tables *state)
{
    size_t count = state->locks.count;
    struct lock_name *names = calloc(count + 1, sizeof *names);
    if (names == NULL) {
        error_set(state->error, "out of memory for %zu locks", count);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const struct lock_row *row = &state->rows[i];
        names[i].process = row->process;
        names[i].address = row->address;
        names[i].tick = row->made != NULL
                            ? clock_tick(&state->tables->clock->lines[row->process], row->made->ns)
                            : 0;
    }
    if (count == 0 ||
        lock_names_find(names, count, &state->tables->values->shared->types, state->error) == 0)
        return names;
    release_names(names, count);
    return NULL;
}

static int write_locks(struct lock_tables *state)
{
    struct insert insert;
    struct lock_name *names = name_locks(state);
    if (names == NULL)
        return -1;
    insert_begin(&insert, state->database, "locks");
    for (uint32_t i = 0; i < state->locks.count; i++) {
        const struct lock_row *row = &state->rows[i];
        const struct decode_lock *made = row->made;
        insert_row(
            &insert, column_int("process_id", state->tables->index->processes[row->process].id),
            column_text("kind", made != NULL ? kind_name(made->kind) : "unknown"),
            column_int("address", (int64_t)row->address), column_text("variable", names[i].name),
            column_int("made", made != NULL && (made->mode & FISQL_LOCK_MADE) != 0),
            column_id("site_id", made != NULL ? made->site : 0),
            column_id("thread_id", row->thread),
            column_id("frame_id", made != NULL ? made->frame : 0),
            made != NULL ? column_count("first_ns", made->ns) : column_null("first_ns"),
            row->ended != NULL ? column_count("ended_ns", row->ended->ns) : column_null("ended_ns"),
            column_id("ended_site_id", row->ended != NULL ? row->ended->site : 0));
    }
    int result = insert_end(&insert, state->error);
    release_names(names, state->locks.count);
    return result;
}

static int write_wait(struct lock_tables *state, uint32_t thread, const struct decode_lock *wait)
{
    struct insert *insert = &state->insert;
    const struct log_thread *told = &state->tables->index->threads[thread];
    bool taken = wait->what == FISQL_LOCK_TAKEN, open = !taken && wait->until_ns == 0;
    uint64_t until = open ? lock_tables_open_until_ns(state, thread, wait) : wait->until_ns;
    struct place holder = place_at(
        state, taken ? INTERN_NONE : thread_index(state, told->process, wait->thread), wait->point);
    insert_row(insert, column_int("lock_id", known_lock_id(state, told->process, wait->lock)),
               column_int("thread_id", told->id), column_id("call_id", wait->call_id),
               column_id("frame_id", wait->frame), column_id("site_id", wait->site),
               column_text("mode", mode_of((wait->mode & FISQL_LOCK_READ) != 0)),
               column_count("start_ns", wait->ns),
               column_int("wait_ns", taken || until < wait->ns ? 0 : clip(until - wait->ns)),
               column_text("ended", open               ? "open"
                                    : wait->count == 0 ? "taken"
                                                       : "given up"),
               column_id("mutex_id",
                         wait->other != 0 ? known_lock_id(state, told->process, wait->other) : 0),
               COLUMNS_PLACE("held_by", &holder), column_id("held_by_site_id", wait->other_site),
               column_id("deadlock", open ? lock_tables_deadlock(state, thread, wait) : 0));
    return 0;
}

static int write_waits(struct lock_tables *state)
{
    insert_begin(&state->insert, state->database, "lock_waits");
    int result = each_record(state, 1u << FISQL_LOCK_WAIT | 1u << FISQL_LOCK_TAKEN, write_wait);
    return insert_end_after(&state->insert, result, state->error);
}

static int write_holds(struct lock_tables *state)
{
    struct insert insert;
    insert_begin(&insert, state->database, "lock_holds");
    for (uint32_t i = 0; i < state->held.count; i++) {
        const struct hold_row *hold = &state->holds[i];
        struct place place = place_at(state, hold->longest_thread, hold->point);
        insert_row(&insert, column_int("lock_id", hold->lock),
                   column_int("thread_id", hold->thread), column_count("times", hold->times),
                   column_count("hold_ns", hold->ns), column_count("longest_ns", hold->longest_ns),
                   column_id("longest_call_id", place.call),
                   column_id("longest_frame_id", place.frame),
                   column_id("longest_site_id", hold->site), column_count("failed", hold->failed));
    }
    return insert_end(&insert, state->error);
}

static void write_order(struct lock_tables *state, struct insert *insert,
                        const struct order_row *row)
{
    const struct decode_lock *order = row->order;
    char guards[FISQL_LOCK_GUARDS_MAX * 16] = "";
    struct place first = place_at(state, row->thread, order->point);
    size_t used = 0;
    for (uint32_t i = 0; i < order->count; i++)
        used += (size_t)snprintf(guards + used, sizeof guards - used, "%s%s%u", i > 0 ? " " : "",
                                 (row->guards[i] & 0x80000000u) != 0 ? "r" : "",
                                 row->guards[i] & 0x7fffffffu);
    insert_row(insert, column_int("first_lock_id", row->first),
               column_int("second_lock_id", row->second),
               column_int("thread_id", state->tables->index->threads[row->thread].id),
               column_text("first_mode", mode_of((order->mode & FISQL_LOCK_OTHER_READ) != 0)),
               column_text("second_mode", mode_of((order->mode & FISQL_LOCK_READ) != 0)),
               column_count("times", row->times), column_count("ns", order->ns),
               column_id("first_call_id", first.call), column_id("first_frame_id", first.frame),
               column_id("first_site_id", order->other_site), column_id("call_id", order->call_id),
               column_id("frame_id", order->frame), column_id("site_id", order->site),
               column_text("guards", guards), column_id("cycle", row->cycle));
}

static int write_orders(struct lock_tables *state)
{
    struct insert insert;
    insert_begin(&insert, state->database, "lock_orders");
    for (uint32_t i = 0; i < state->numbers.count; i++)
        write_order(state, &insert, &state->orders[i]);
    if (insert_end(&insert, state->error) != 0)
        return -1;
    insert_begin(&insert, state->database, "lock_cycles");
    for (size_t i = 0; i < state->cycles.count; i++)
        for (uint32_t k = 0; k < state->cycles.items[i].length; k++) {
            insert_row(&insert, column_int("cycle", (int64_t)i + 1), column_int("position", k),
                       column_int("order_id", (int64_t)state->cycles.items[i].orders[k] + 1),
                       column_int("by_place", i >= state->cycles_by_lock));
        }
    return insert_end(&insert, state->error);
}

static int write_misuse(struct lock_tables *state, uint32_t thread,
                        const struct decode_lock *misuse)
{
    struct insert *insert = &state->insert;
    const struct log_thread *told = &state->tables->index->threads[thread];
    struct place other =
        place_at(state, thread_index(state, told->process, misuse->thread), misuse->point);
    insert_row(insert, column_text("misuse", misuse_name(misuse->kind)),
               column_int("lock_id", known_lock_id(state, told->process, misuse->lock)),
               column_int("thread_id", told->id), column_id("call_id", misuse->call_id),
               column_id("frame_id", misuse->frame), column_id("site_id", misuse->site),
               column_count("ns", misuse->ns), COLUMNS_PLACE("other", &other),
               column_id("other_site_id", misuse->other_site),
               column_id("mutex_id", misuse->other != 0
                                         ? known_lock_id(state, told->process, misuse->other)
                                         : 0));
    return 0;
}

static int write_misuses(struct lock_tables *state)
{
    insert_begin(&state->insert, state->database, "lock_misuses");
    int result = each_record(state, 1u << FISQL_LOCK_MISUSED, write_misuse);
    return insert_end_after(&state->insert, result, state->error);
}

/* ---- cycles ---- */

/* The node of a lock: its own; by place, that of all locks made there, behind the locks' own. */
static uint32_t node_of(const struct lock_tables *state, uint32_t lock, bool by_place)
{
    const struct decode_lock *made = state->rows[lock - 1].made;
    bool placed =
        by_place && made != NULL && (made->mode & FISQL_LOCK_MADE) != 0 && made->site != 0;
    return placed ? state->locks.count + made->site : lock - 1;
}

static struct lock_order_edge edge_of(const struct lock_tables *state, const struct order_row *row,
                                      bool by_place)
{
    struct lock_order_edge edge = {.first = node_of(state, row->first, by_place),
                                   .second = node_of(state, row->second, by_place),
                                   .first_lock = row->first,
                                   .first_reads = (row->order->mode & FISQL_LOCK_OTHER_READ) != 0,
                                   .second_reads = (row->order->mode & FISQL_LOCK_READ) != 0,
                                   .guards_count = row->order->count};
    memcpy(edge.guards, row->guards, sizeof edge.guards);
    return edge;
}

/* Is the ring one of single locks, which we have already? */
static bool is_of_locks(const struct lock_tables *state, const struct lock_cycle *cycle)
{
    for (uint32_t i = 0; i < cycle->length; i++)
        if (state->orders[cycle->orders[i]].second !=
            state->orders[cycle->orders[(i + 1) % cycle->length]].first)
            return false;
    return true;
}

static int find_cycles(struct lock_tables *state, bool by_place)
{
    size_t count = state->numbers.count, kept = state->cycles.count;
    uint32_t nodes = state->locks.count + (by_place ? state->tables->program->sites.count + 1 : 0);
    if (state->orders == NULL)
        return 0; /* no order, no cycle */
    struct lock_order_edge *edges = calloc(count + 1, sizeof *edges);
    if (edges == NULL)
        return error_set(state->error, "out of memory");
    for (size_t i = 0; i < count; i++)
        edges[i] = edge_of(state, &state->orders[i], by_place);
    struct lock_cycles found = {NULL, 0, 0};
    int result = lock_cycles_find(edges, count, nodes, &found, state->error);
    for (size_t i = 0; result == 0 && i < found.count; i++) {
        if (by_place && is_of_locks(state, &found.items[i]))
            continue;
        result =
            array_reserve(&state->cycles.items, &state->cycles.capacity, kept + 1, state->error);
        if (result != 0)
            break;
        state->cycles.items[kept++] = found.items[i];
        state->cycles.count = kept;
        for (uint32_t k = 0; k < found.items[i].length; k++) {
            struct order_row *row = &state->orders[found.items[i].orders[k]];
            row->cycle = row->cycle != 0 ? row->cycle : (uint32_t)kept;
        }
    }
    free(found.items);
    free(edges);
    if (!by_place)
        state->cycles_by_lock = kept;
    return result;
}

static void release(struct lock_tables *state)
{
    sqlite3_finalize(state->call);
    intern_release(&state->locks);
    intern_release(&state->threads);
    intern_release(&state->held);
    intern_release(&state->numbers);
    free(state->rows);
    free(state->thread_of);
    free(state->holds);
    free(state->orders);
    free(state->cycles.items);
    sqlite3_finalize(state->call_end);
    free(state->blocked);
    free(state->blocked_of);
    free(state->blocked_waits);
    free(state->process_ends);
}

static int prepare_places(struct lock_tables *state)
{
    if (state->tables->options->calls == LOAD_CALLS_NONE)
        return 0;
    if (sqlite3_prepare_v2(state->database,
                           "SELECT parent_id, depth, frame_id FROM calls WHERE id = ?", -1,
                           &state->call, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(state->database,
                           "SELECT enter_ns + duration_ns FROM calls WHERE id = ? AND ended <> 2",
                           -1, &state->call_end, NULL) == SQLITE_OK)
        return 0;
    return error_set(state->error, "%s", insert_problem(state->database));
}

int tables_write_locks(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct lock_tables state = {.tables = tables, .database = database, .error = error};
    int result = prepare_places(&state);
    if (result == 0)
        result = read_records(&state);
    if (result == 0)
        result = lock_tables_find_deadlocks(&state);
    if (result == 0)
        result = find_cycles(&state, false);
    if (result == 0)
        result = find_cycles(&state, true);
    if (result == 0 &&
        (write_locks(&state) != 0 || write_waits(&state) != 0 || write_holds(&state) != 0 ||
         write_orders(&state) != 0 || write_misuses(&state) != 0))
        result = -1;
    if (result == 0)
        result = state.place_result;
    release(&state);
    return result;
}
