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

#include <stdint.h>

#include "base/error.h"
#include "loader/calls/helpers.h"
#include "loader/calls/row_window.h"
#include "loader/sqlite/btree.h"

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
