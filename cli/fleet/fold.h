/*
 * Summing up: runs of one program's build and one day become a batch, when there are enough of them. A
 * question about all runs of a batch then reads a sum for each function or context instead of a row for
 * each run. Runs do not change, so sums do not; runs that are in no batch, or in one of which not all runs are asked
 * for, are read one by one. So every answer is the same before and after.
 */
#ifndef FISQL_CLI_FLEET_FOLD_H
#define FISQL_CLI_FLEET_FOLD_H

#include "cli/fleet/store.h"

/* Sums up the runs of a build and day that are in no batch, where there are at least so many of them.
 * Returns 0, or 2 after saying what is wrong: all runs are there in any case. */
int fold_runs(struct store *store, int64_t runs_min);

/* Of the table chosen (choose.h): makes the temporary tables batch(batch_id, side), batches of which all runs are
 * chosen, none of them twice; and single(run_id, side), all other runs that are. Returns 0 or 2. */
int fold_choose(struct store *store);

#endif
