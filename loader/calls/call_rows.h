/*
 * The rows of a thread's calls: from the window in which they wait to the pages of the b-tree.
 *
 * A call's row is complete at its exit, but rows must be written in the order of entries: so rows
 * wait in a window, a ring by id. When it is full its older half is written; calls of it that are
 * still open are written with fields at full width and patched when they end. As calls end in the
 * opposite order of their entries, the one that ends is always the one that was written open last.
 *
 * What is to be written goes in batches: first the ends of calls that are written already, then rows.
 * Two steps make a batch: it is added up (row_sums.h), and its rows are written. Threads that have no
 * thread of the log to decode (helpers.h) take steps of those that have, while these go on decoding:
 * more than half the work of loading the calls of a program with one thread. Where the queue of batches
 * is full, who decodes takes a step, too; without helpers it does all.
 */
#ifndef FISQL_LOADER_CALLS_CALL_ROWS_H
#define FISQL_LOADER_CALLS_CALL_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/large.h"
#include "loader/calls/helpers.h"
#include "loader/calls/hook_costs.h"
#include "loader/calls/links.h"
#include "loader/sqlite/btree.h"

#define WINDOW_ROWS 4096u /* a power of two; half of them are written at a time */

enum ended { ENDED_RETURNED = 0, ENDED_UNWOUND = 1, ENDED_OPEN = 2, ENDED_LOST = 3 };

/* A row that waits for its call's end, or for its turn. What lies under `depth` is known, and set, at
 * the end. */
struct row {
    struct link *link;
    struct function_rollup *function; /* the link's */
    uint64_t enter_ns;
    uint64_t distance; /* id - parent's id, 0 = no parent */
    uint32_t frame, depth;
    bool done; /* it has ended */
    uint8_t ended;
    uint64_t duration_ns, children_ns, child_calls, descendants;
    struct hook_share hooks;
    struct off_sums
        *off; /* off the processor in it; NULL = it never was. Who adds it up frees it */
};

/* The end of a call whose row was written while it was open. */
struct row_end {
    uint64_t call_id;
    struct row row; /* without frame and depth */
};

/* Calls of a link that were counted in place of being recorded. */
struct counted_calls {
    struct link *link;
    uint64_t calls, raw_ns, hooks_ps;
};

struct callee_history;

/* What is done with a batch; by two threads at once, or one after the other. */
enum batch_step { BATCH_ADD, BATCH_WRITE, BATCH_STEPS };

struct row_batch {
    struct row_end *ends;
    size_t ends_count, ends_capacity;
    struct counted_calls *counted;
    size_t counted_count, counted_capacity;
    uint64_t first_id, end_id; /* rows */
};

/* Where the rows of calls are that were written open, the outermost first. */
struct open_rows {
    struct open_row {
        struct btree_place place;
        uint32_t duration_offset;
    } * items;
    size_t count, capacity;
};

/* Batches that wait to be written, besides the one that is being filled: a helper takes longer to wake up
 * than a batch takes to be filled. With the window they make a power of two of rows. */
#define BATCHES_MAX 6u

/* Threads that decode and write at the same time change lines of their own. */
struct row_window {
    struct row *rows, *rows_end;    /* of id: rows[id % ring] */
    uint64_t mask;                  /* ring - 1 */
    struct btree_part *part;        /* NULL = rows are added up, but not written */
    uint32_t thread;                /* threads.id */
    uint32_t threads_begun;         /* function_rollup.thread of what is added up */
    uint64_t *progress_calls;       /* atomic: gets the number of rows that were written */
    struct callee_history *history; /* who adds up has it */
    struct helpers *helpers;        /* NULL = there are none */
    /* Who decodes changes them with each call. */
    uint64_t start_id
        __attribute__((aligned(LARGE_ALIGN))); /* of the first row that is in no batch */
    uint64_t next_id; /* of the next call: the rows of those before it wait, or are written */
    struct row_batch filling;
    /* Who writes has it. */
    struct open_rows open __attribute__((aligned(LARGE_ALIGN)));
    /* Under the helpers' lock. */
    struct row_window *next; /* in helpers->windows */
    struct row_batch batches[BATCHES_MAX];
    uint32_t batch_first, batches_count;
    uint32_t done[BATCH_STEPS]; /* with so many of these, the first ones, the step is done */
    bool busy[BATCH_STEPS];     /* somebody is at the one that follows */
    bool failed;
    struct error error; /* why */
};

/* Writes the rows of threads that decode, and does their errands, until none decodes. */
void row_windows_help(struct helpers *helpers);

/* helpers: NULL, or those who may write; they must not be at it when the window is released. Release it
 * in any case. */
int row_window_init(struct row_window *window, struct helpers *helpers,
                    struct callee_history *history, uint64_t *progress_calls, struct error *error);
void row_window_release(struct row_window *window);

/* A thread begins, the worker's threads_begun'th; its calls have the ids from first_id on. The part is
 * borrowed until row_window_finish, and so are links. */
void row_window_begin(struct row_window *window, uint32_t thread, uint32_t threads_begun,
                      uint64_t first_id, struct btree_part *part);

/* The row of a call whose row waits still, or begins to. */
static inline struct row *row_window_row(struct row_window *window, uint64_t id)
{
    return &window->rows[id & window->mask];
}

/* The row that follows in the ring as the `count`th. */
static inline struct row *row_window_next(const struct row_window *window, struct row *row,
                                          uint32_t count)
{
    struct row *next = row + count;
    return next < window->rows_end ? next : next - (window->rows_end - window->rows);
}

/* Asks for the memory of a row further on, to be changed or to be read: with helpers it is in another processor's
 * cache. Behind the ring's end there is nothing to ask for, which does no harm. */
#define ROWS_AHEAD_ENTER 16u
#define ROWS_AHEAD_WRITE 40u
static inline void row_expect_enter(const struct row *row)
{
    uintptr_t ahead = (uintptr_t)row + ROWS_AHEAD_ENTER * sizeof *row;
    __builtin_prefetch((const void *)ahead, 1);
    __builtin_prefetch((const void *)(ahead + 64), 1);
}
static inline void row_expect_write(const struct row *row)
{
    uintptr_t ahead = (uintptr_t)row + ROWS_AHEAD_WRITE * sizeof *row;
    __builtin_prefetch((const void *)ahead);
    __builtin_prefetch((const void *)(ahead + 64));
}

/* Must rows be written before another call is entered? */
static inline bool row_window_is_full(const struct row_window *window)
{
    return window->next_id - window->start_id == WINDOW_ROWS;
}

/* Has those rows written that wait, but for the last `kept`. */
int row_window_flush(struct row_window *window, uint64_t kept, struct error *error);

/* The innermost call of those whose rows do not wait any more ends: where to put what is known then,
 * at once. NULL without memory. */
struct row_end *row_window_end(struct row_window *window, struct error *error);

/* Has counted calls added up. */
int row_window_counted(struct row_window *window, const struct counted_calls *calls,
                       struct error *error);

/* No helper is at its rows when this returns, nor will be: what waits after a failure is forgotten. To be called
 * before links go. */
void row_window_stop(struct row_window *window);

/* Has all rows written, and waits until they are. */
int row_window_finish(struct row_window *window, struct error *error);

#endif
