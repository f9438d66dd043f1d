/*
 * What rows of calls add up to: the sums of their links (call_sums.h), and the histograms, slowest
 * calls and the like of their functions (rollup.h).
 *
 * A call finds its link's sums in no cache, and little of what its function needs. Added up row by
 * row in batches, the ones that come next are known: their memory is on its way while those before
 * are added up. And a batch can be added up by another thread than the one that decodes, which
 * therefore touches neither sums nor what rollup.h says to be of who adds up.
 */
#ifndef FISQL_LOADER_CALLS_ROW_SUMS_H
#define FISQL_LOADER_CALLS_ROW_SUMS_H

#include <stdint.h>

#include "base/error.h"
#include "loader/calls/row_window.h"

/* Adds the rows of a window from first_id up to end_id, those after it up to known_id being what will
 * be added next. Calls that have not ended are only counted as entered. */
int row_sums_add(struct row_window *window, uint64_t first_id, uint64_t end_id, uint64_t known_id,
                 struct error *error);

/* Adds the end of a call that was counted as entered. */
int row_sums_left(struct row *row, uint64_t call_id, struct error *error);

int row_sums_counted(const struct counted_calls *calls, struct error *error);

#endif
