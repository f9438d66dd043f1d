/*
 * Summing up. Runs of one day and one build of a program become a batch when there are enough of
 * them. A question about all runs of a batch then reads one sum per function or context, not one
 * row per run. Runs never change, so the sums stay true. We read a run on its own if it is in no
 * batch, or if the question leaves out other runs of its batch. So the answers are the same before
 * and after summing up.
 */
#ifndef FISQL_CLI_FLEET_FOLD_H
#define FISQL_CLI_FLEET_FOLD_H

#include "cli/fleet/store.h"

/* Sums up the runs of each build and day that are in no batch, if there are at least `runs_min`.
 * Returns 0, or 2 after saying what is wrong; the runs themselves stay in any case. */
int fold_runs(struct store *store, int64_t runs_min);

/* Divides the table chosen (choose.h) into two temporary tables: batch(batch_id, side), batches
 * whose runs are all chosen, each run in at most one; and single(run_id, side), the other chosen
 * runs. Returns 0 or 2. */
int fold_choose(struct store *store);

#endif
