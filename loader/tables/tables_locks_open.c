/* Waits that do not end, and deadlocks: see tables_locks_parts.h. */
#include "loader/tables/tables_locks_parts.h"

#include <stdlib.h>

/* The thread's last wait, if nothing came after it; NULL = none. */
static const struct decode_lock *last_wait(const struct lock_tables *state, uint32_t thread)
{
    const struct decode_locks *locks = &state->tables->threads[thread].locks;
    const struct decode_lock *wait = NULL;
    for (size_t i = locks->count; i > 0 && wait == NULL; i--) {
        const struct decode_lock *lock = &locks->items[i - 1];
        if (lock->what == FISQL_LOCK_WAIT || lock->what == FISQL_LOCK_TAKEN)
            wait = lock; /* counts and the like may be written for others */
    }
    return wait != NULL && wait->what == FISQL_LOCK_WAIT && wait->until_ns == 0 ? wait : NULL;
}

/* When the call ended in which a wait was begun: a jump led out of both. UINT64_MAX = it did not,
 * or it is not known. */
static uint64_t call_end_ns(struct lock_tables *state, uint64_t call)
{
    uint64_t end = UINT64_MAX;
    if (state->call_end == NULL || call == 0)
        return end;
    int status = sqlite3_bind_int64(state->call_end, 1, (int64_t)call);
    status = status == SQLITE_OK ? sqlite3_step(state->call_end) : status;
    if (status == SQLITE_ROW)
        end = (uint64_t)sqlite3_column_int64(state->call_end, 0);
    else if (status != SQLITE_DONE && state->place_result == 0)
        state->place_result = error_set(state->error, "locks: %s", insert_problem(state->database));
    sqlite3_reset(state->call_end);
    return end;
}

uint64_t lock_tables_open_until_ns(struct lock_tables *state, uint32_t thread,
                                   const struct decode_lock *wait)
{
    const struct log_thread *told = &state->tables->index->threads[thread];
    uint64_t end =
        told->exited ? state->tables->threads[thread].end_ns : state->process_ends[told->process];
    uint64_t call_end = call_end_ns(state, wait->call_id);
    return call_end < end ? call_end : end;
}

static int index_process_ends(struct lock_tables *state)
{
    const struct log_index *index = state->tables->index;
    const struct clock_map *clock = state->tables->clock;
    state->process_ends = calloc(index->processes_count + 1, sizeof *state->process_ends);
    if (state->process_ends == NULL)
        return error_set(state->error, "out of memory");
    for (size_t i = 0; i < index->processes_count && i < clock->count; i++)
        if (index->processes[i].end_tick != TICK_UNKNOWN)
            state->process_ends[i] = clock_ns(&clock->lines[i], index->processes[i].end_tick);
    for (uint32_t i = 0; i < index->threads_count; i++) {
        uint64_t *end = &state->process_ends[index->threads[i].process];
        if (state->tables->threads[i].end_ns > *end)
            *end = state->tables->threads[i].end_ns;
    }
    return 0;
}

/* May the wait be part of a deadlock? */
static bool is_blocked(struct lock_tables *state, uint32_t thread, const struct decode_lock *wait)
{
    const struct log_thread *told = &state->tables->index->threads[thread];
    const struct decode_lock *made =
        state->rows[known_lock_id(state, told->process, wait->lock) - 1].made;
    return !told->exited && !state->tables->index->processes[told->process].ends_lost &&
           (wait->mode & FISQL_LOCK_TRIED) == 0 && made != NULL &&
           (made->kind <= FISQL_LOCK_KIND_USER || made->kind == FISQL_LOCK_KIND_THREAD) &&
           call_end_ns(state, wait->call_id) == UINT64_MAX;
}

static struct lock_blocked blocked_by(const struct lock_tables *state, uint32_t thread,
                                      const struct decode_lock *wait)
{
    uint32_t process = state->tables->index->threads[thread].process, count = 0;
    uint32_t id = known_lock_id(state, process, wait->lock);
    const struct decode_lock_extra *extra = extra_of(state, thread, wait);
    struct lock_blocked blocked = {.start_ns = wait->ns,
                                   .thread = thread,
                                   .holder = thread_index(state, process, wait->thread),
                                   .lock = id,
                                   .reads = (wait->mode & FISQL_LOCK_READ) != 0,
                                   .joins =
                                       state->rows[id - 1].made->kind == FISQL_LOCK_KIND_THREAD};
    for (uint32_t i = 0; i < FISQL_LOCK_GUARDS_MAX && extra->guards[i] != 0; i++) {
        uint32_t held = intern_find(&state->locks, process, extra->guards[i] & ~LOCK_HELD_TO_READ);
        if (held != INTERN_NONE)
            blocked.held[count++] = (held + 1) | (extra->guards[i] & LOCK_HELD_TO_READ);
    }
    return blocked;
}

int lock_tables_find_deadlocks(struct lock_tables *state)
{
    uint32_t count = (uint32_t)state->tables->index->threads_count;
    state->blocked = calloc((size_t)count + 1, sizeof *state->blocked);
    state->blocked_of = calloc((size_t)count + 1, sizeof *state->blocked_of);
    state->blocked_waits = calloc((size_t)count + 1, sizeof *state->blocked_waits);
    if (state->blocked == NULL || state->blocked_of == NULL || state->blocked_waits == NULL)
        return error_set(state->error, "out of memory");
    if (index_process_ends(state) != 0)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        const struct decode_lock *wait = last_wait(state, i);
        state->blocked_of[i] = UINT32_MAX;
        if (wait == NULL || !is_blocked(state, i, wait))
            continue;
        state->blocked_of[i] = state->blocked_count;
        state->blocked_waits[state->blocked_count] = wait;
        state->blocked[state->blocked_count++] = blocked_by(state, i, wait);
    }
    return lock_deadlocks_find(state->blocked, state->blocked_count, state->error);
}

uint32_t lock_tables_deadlock(const struct lock_tables *state, uint32_t thread,
                              const struct decode_lock *wait)
{
    uint32_t at = state->blocked_of[thread];
    return at != UINT32_MAX && wait == state->blocked_waits[at] ? state->blocked[at].deadlock : 0;
}
