/*
 * The rows of a thread's calls: from the window in which they wait to the pages of the b-tree.
 *
 * A call's row is complete at its exit, but rows must be written in the order of entries: so rows
 * wait in a window, a ring by id. When it is full its older half is written; calls of it that are
 * still open are written with fields at full width and patched when they end.
 */
#ifndef FISQL_LOADER_CALL_ROWS_H
#define FISQL_LOADER_CALL_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "loader/calls/call_stack.h"
#include "loader/sqlite/btree.h"

#define WINDOW_ROWS 8192u /* a power of two; half of them are written at a time */

enum ended { ENDED_RETURNED = 0, ENDED_UNWOUND = 1, ENDED_OPEN = 2, ENDED_LOST = 3 };

/* A row that waits for its call's end, or for its turn. */
struct row {
    uint64_t enter_ns, duration_ns, children_ns;
    uint64_t distance;    /* id - parent's id, 0 = no parent */
    uint32_t descendants; /* of a call that ended while its row waits: less than WINDOW_ROWS */
    uint32_t frame, depth;
    uint8_t ended;
    bool done;
};

struct row_window {
    struct row *rows;  /* of id: rows[id % WINDOW_ROWS] */
    uint64_t start_id; /* of the first row that is not written */
    uint64_t next_id;  /* of the next call: the rows of those before it wait, or are written */
    struct btree_part *part;  /* NULL = no rows are wanted */
    uint32_t thread;          /* threads.id */
    uint64_t *progress_calls; /* atomic: gets the number of rows that were written */
};

/* Release it in any case. */
int row_window_init(struct row_window *window, uint64_t *progress_calls, struct error *error);
void row_window_release(struct row_window *window);

/* A thread begins; its calls have the ids from first_id on. The part is borrowed. */
void row_window_begin(struct row_window *window, uint32_t thread, uint64_t first_id,
                      struct btree_part *part);

/* The row of a call whose row waits still, or begins to. */
static inline struct row *row_window_row(struct row_window *window, uint64_t id)
{
    return &window->rows[id % WINDOW_ROWS];
}

/* Must rows be written before another call is entered? */
static inline bool row_window_is_full(const struct row_window *window)
{
    return window->next_id - window->start_id == WINDOW_ROWS;
}

/* Writes the rows that wait, but for the last `kept`. The calls of the stack whose rows are written
 * before they end get to know where. */
int row_window_flush(struct row_window *window, struct call_stack *stack, uint64_t kept,
                     struct error *error);

/* Completes the row of a call that was written while it was open. */
int row_window_patch(const struct row_window *window, const struct open_call *call,
                     const struct row *end, uint64_t descendants, struct error *error);

#endif
