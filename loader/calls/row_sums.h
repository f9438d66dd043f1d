/*
 * Adds up rows of calls: into the sums of their links (call_sums.h), and into the histograms,
 * slowest calls and the like of their functions (rollup.h).
 *
 * A call finds its link's sums in no cache, and little of its function's. In a batch the next rows
 * are known, so their memory is prefetched while earlier rows are added up. A thread other than the
 * decoding one may add up a batch, so the decoding thread touches neither sums nor the fields that
 * rollup.h gives to the thread that adds up.
 */
#ifndef FISQL_LOADER_CALLS_ROW_SUMS_H
#define FISQL_LOADER_CALLS_ROW_SUMS_H

#include <stdint.h>

#include "base/error.h"
#include "loader/calls/row_window.h"

/* Adds the rows of a window from first_id to before end_id; those to before known_id come next.
 * Calls that have not ended only count as entered. */
int row_sums_add(struct row_window *window, uint64_t first_id, uint64_t end_id, uint64_t known_id,
                 struct error *error);

/* Adds the end of a call that counted as entered. */
int row_sums_left(struct row *row, uint64_t call_id, struct error *error);

int row_sums_counted(const struct counted_calls *calls, struct error *error);

#endif
