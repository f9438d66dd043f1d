/* What the writers of the tables of locks share: tables_locks.c, and tables_locks_open.c for the waits
 * that do not end. */
#ifndef FISQL_LOADER_TABLES_TABLES_LOCKS_PARTS_H
#define FISQL_LOADER_TABLES_TABLES_LOCKS_PARTS_H

#include "base/intern.h"
#include "base/must.h"
#include "loader/tables/lock_cycles.h"
#include "loader/tables/lock_deadlocks.h"
#include "loader/tables/tables_parts.h"

struct lock_row {
    const struct decode_lock *made; /* its DEFINE; NULL = the log lacks it */
    const struct decode_lock *ended;
    uint32_t process, thread; /* index; threads.id */
    uint64_t address;
};

struct hold_row {
    uint32_t lock, thread; /* ids */
    uint64_t times, ns, longest_ns, failed, point;
    uint32_t site, longest_thread; /* index of the thread */
};

struct order_row {
    const struct decode_lock *order;
    uint32_t thread; /* index */
    uint32_t first, second;
    uint64_t times;
    uint32_t guards[FISQL_LOCK_GUARDS_MAX]; /* ids */
    uint32_t cycle;
};

struct lock_tables {
    const struct tables *tables;
    sqlite3 *database;
    sqlite3_stmt *call;   /* parent, depth and frame of a call */
    struct insert insert; /* of the table that is being written */
    struct error *error;
    int place_result;    /* -1 where a place could not be read */
    struct intern locks; /* locks.id - 1 by process and number */
    struct lock_row *rows;
    size_t rows_capacity;
    struct intern
        threads; /* index in log_index.threads, through thread_of, by process and number */
    uint32_t *thread_of;
    struct intern held; /* in holds, by ids of lock and thread */
    struct hold_row *holds;
    size_t holds_capacity;
    struct intern numbers; /* in orders, by thread and its number of the order */
    struct order_row *orders;
    size_t orders_capacity;
    struct lock_cycles cycles;
    size_t cycles_by_lock; /* of them; the rest are by place */
    sqlite3_stmt *call_end;
    struct lock_blocked *blocked; /* at the end: at most one wait a thread */
    uint32_t blocked_count;
    const struct decode_lock **blocked_waits; /* these */
    uint32_t *blocked_of;   /* index in `blocked` by index of the thread; UINT32_MAX = none */
    uint64_t *process_ends; /* ns, by index of the process */
};

/* locks.id of a number that read_records() has read. */
static inline uint32_t known_lock_id(const struct lock_tables *state, uint32_t process,
                                     uint32_t number)
{
    uint32_t index = intern_find(&state->locks, process, number);
    must(index < state->locks.count);
    return index + 1;
}

static inline uint32_t thread_index(const struct lock_tables *state, uint32_t process,
                                    uint32_t number)
{
    uint32_t index = number == FISQL_LOCK_THREAD_NONE
                         ? INTERN_NONE
                         : intern_find(&state->threads, process, number);
    return index == INTERN_NONE ? INTERN_NONE : state->thread_of[index];
}

static inline const struct decode_lock_extra *
extra_of(const struct lock_tables *state, uint32_t thread, const struct decode_lock *lock)
{
    static const struct decode_lock_extra none;
    return lock->extra != 0 ? &state->tables->threads[thread].locks.extras[lock->extra - 1] : &none;
}

/* ---- tables_locks_open.c ---- */

/* Finds the deadlocks, after all records were read. */
int lock_tables_find_deadlocks(struct lock_tables *state);
/* When a wait that has no end was over: at the end of the process, unless the thread or the call
 * ended before. */
uint64_t lock_tables_open_until_ns(struct lock_tables *state, uint32_t thread,
                                   const struct decode_lock *wait);
/* The number of the deadlock that such a wait is part of; 0 = none. */
uint32_t lock_tables_deadlock(const struct lock_tables *state, uint32_t thread,
                              const struct decode_lock *wait);

#endif
