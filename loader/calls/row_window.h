/* The window in which rows of calls wait: call_rows.h fills and writes it, row_sums.h and
 * callee_history.h read it. */
#ifndef FISQL_LOADER_CALLS_ROW_WINDOW_H
#define FISQL_LOADER_CALLS_ROW_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/large.h"
#include "loader/calls/hook_costs.h"
#include "loader/calls/links.h"
#include "loader/sqlite/btree.h"

struct helpers;
struct kept_rows;
struct call_picture;

#define WINDOW_ROWS 4096u /* a power of two; half of them are written at a time */

enum ended { ENDED_RETURNED = 0, ENDED_UNWOUND = 1, ENDED_OPEN = 2, ENDED_LOST = 3 };

/* A row that waits for its call's end, or for its turn. The fields after `depth` are set at the
 * end. */
struct row {
    struct link *link;
    struct function_rollup *function; /* the link's */
    uint64_t enter_ns;
    uint64_t distance; /* id - parent's id, 0 = no parent */
    uint32_t frame, depth;
    bool done; /* it has ended */
    uint8_t ended;
    bool sampled;    /* some calls of its thread have no times (sampled.h) */
    uint32_t weight; /* so many calls it stands for: 1 unless sampled; 0 = it has no time */
    uint64_t duration_ns, children_ns, child_calls, descendants;
    struct hook_share hooks;
    struct off_sums *off; /* off the processor; NULL = never. Freed when the row is added up */
};

/* The end of a call whose row was written while it was open. */
struct row_end {
    uint64_t call_id;
    struct row row; /* without frame and depth */
};

/* Calls of a link that were counted, not recorded. */
struct counted_calls {
    struct link *link;
    uint64_t calls, raw_ns, hooks_ps;
};

struct callee_history;

/* The steps of a batch: two threads may take them at once. */
enum batch_step { BATCH_ADD, BATCH_WRITE, BATCH_STEPS };

struct row_batch {
    struct row_end *ends;
    size_t ends_count, ends_capacity;
    struct counted_calls *counted;
    size_t counted_count, counted_capacity;
    uint64_t first_id, end_id; /* rows */
    uint64_t whole_id;         /* from it on no row is left out */
};

/* The places of rows that were written open, the outermost first. */
struct open_rows {
    struct open_row {
        struct btree_place place;
        uint32_t duration_offset;
    } * items;
    size_t count, capacity;
};

/* Queued batches, besides the one being filled: a helper takes longer to wake up than a batch takes
 * to fill. Together with the window they have a power of two of rows. */
#define BATCHES_MAX 6u

/* The threads that decode and that write change different cache lines. */
struct row_window {
    struct row *rows, *rows_end;    /* of id: rows[id % ring] */
    uint64_t mask;                  /* ring - 1 */
    struct btree_part *part;        /* NULL = rows are only added up */
    struct kept_rows *kept;         /* which rows are written; NULL = all */
    uint32_t thread;                /* threads.id */
    uint32_t threads_begun;         /* for function_rollup.thread */
    uint64_t *progress_calls;       /* atomic: the number of written rows */
    struct callee_history *history; /* of the thread that adds up */
    struct call_picture *picture;   /* the same */
    struct helpers *helpers;        /* NULL = none */
    /* The decoding thread changes them with each call. */
    uint64_t start_id __attribute__((aligned(LARGE_ALIGN))); /* of the first row in no batch */
    uint64_t next_id;                                        /* of the next call */
    struct row_batch filling;
    /* Of the thread that writes. */
    struct open_rows open __attribute__((aligned(LARGE_ALIGN)));
    /* Under the helpers' lock. */
    struct row_window *next; /* in helpers->windows */
    struct row_batch batches[BATCHES_MAX];
    uint32_t batch_first, batches_count;
    uint32_t done[BATCH_STEPS]; /* so many of the first batches have it done */
    bool busy[BATCH_STEPS];     /* a thread is at the next batch */
    bool failed;
    struct error error; /* why */
};

/* The row of a call that waits, or begins to. */
static inline struct row *row_window_row(const struct row_window *window, uint64_t id)
{
    return &window->rows[id & window->mask];
}

/* The `count`th row after this one in the ring. */
static inline struct row *row_window_next(const struct row_window *window, struct row *row,
                                          uint32_t count)
{
    struct row *next = row + count;
    return next < window->rows_end ? next : next - (window->rows_end - window->rows);
}

/* Prefetches a row further on, to change or to read it: with helpers it is in another processor's
 * cache. A prefetch behind the ring's end does no harm. */
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

#endif
