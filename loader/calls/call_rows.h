/*
 * The rows of a thread's calls: from the window in which they wait to the pages of the b-tree.
 *
 * A call's row is complete at its exit, but rows must be written in the order of entries. So rows
 * wait in a window, a ring by id. When the window is full, its older half is written. Calls that
 * are still open are written with fields at full width and patched when they end. Calls end in the
 * opposite order of their entries, so the one that ends is always the last one written open.
 *
 * A batch has the ends of calls that were written open, then rows. It takes two steps: adding up
 * (row_sums.h) and writing. Helpers (helpers.h) take these steps while a thread decodes: that is
 * more than half the work of loading a program with one thread. If the queue of batches is full,
 * the decoding thread takes a step, too; without helpers it takes all.
 */
#ifndef FISQL_LOADER_CALLS_CALL_ROWS_H
#define FISQL_LOADER_CALLS_CALL_ROWS_H

#include <stdint.h>

#include "base/error.h"
#include "loader/calls/helpers.h"
#include "loader/calls/row_window.h"
#include "loader/sqlite/btree.h"

/* Writes rows of decoding threads and runs their errands, until no thread decodes. */
void row_windows_help(struct helpers *helpers);

/* helpers: may write its rows, but must not be at it when it is released; NULL = none. kept: says
 * which rows are written; NULL = all. Release the window in any case. */
int row_window_init(struct row_window *window, struct helpers *helpers, struct kept_rows *kept,
                    struct callee_history *history, struct call_picture *picture,
                    uint64_t *progress_calls, struct error *error);
void row_window_release(struct row_window *window);

/* The worker's threads_begun'th thread begins; its calls have ids from first_id on. The part and
 * the rows' links are borrowed until row_window_finish. */
void row_window_begin(struct row_window *window, uint32_t thread, uint32_t threads_begun,
                      uint64_t first_id, struct btree_part *part);

/* Has the row of an open call written where not all are (window->kept). False where that is so
 * already: of the calls around it, too. */
bool row_window_want(struct row_window *window, uint64_t id);

/* Has all waiting rows but the last `kept` written. */
int row_window_flush(struct row_window *window, uint64_t kept, struct error *error);

/* The innermost call whose row was written open ends: the caller fills in its end at once. NULL
 * without memory. */
struct row_end *row_window_end(struct row_window *window, struct error *error);

/* Has counted calls added up. */
int row_window_counted(struct row_window *window, const struct counted_calls *calls,
                       struct error *error);

/* Drops what still waits after a failure: no helper uses the rows when this returns. Call it before
 * the links are released. */
void row_window_stop(struct row_window *window);

/* Has all rows written and waits for that. */
int row_window_finish(struct row_window *window, struct error *error);

#endif
