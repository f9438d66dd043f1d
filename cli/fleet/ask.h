/*
 * Asking many runs. A file in queries/fleet/ has the header of every query
 * (cli/query/query_file.h), then steps. A line of its own begins each step:
 *
 *   -- gather NAME: uses TABLE...   SQL that both engines understand, run where the rows are. The
 *                                   result becomes the temporary table NAME. It may read the tables
 *                                   of cli/fleet/schema_fleet.sql and the temporary tables it names
 *   -- local NAME                   SQLite's SQL, run here; the result becomes the temporary table
 *                                   NAME
 *   -- finish                       like local, but its rows are the answer
 *
 * `chosen(run_id, side)` holds the runs of the parameter `runs`, or those of `before` (side 1) and
 * `after` (side 2). The same runs are divided into `batch(batch_id, side)`, batches that
 * function_sums and context_sums sum up, and `single(run_id, side)` (fold.h). Local steps may also
 * read `runs` and `labels`, and only they have parameters.
 *
 * Both engines understand: no WITH, no window functions, no joins; result names that are no columns
 * of the table; counts and sums of integers.
 */
#ifndef FISQL_CLI_FLEET_ASK_H
#define FISQL_CLI_FLEET_ASK_H

#include "cli/fleet/store.h"
#include "cli/query/query_run.h"
#include "cli/query/query_set.h"

/* Loads the queries of many runs. Returns 0 or 2. Call query_set_release() in both cases. */
int ask_load(struct query_set *set);

/* Runs the query and writes its rows; *rows becomes their number. Uses from the request: format,
 * settings, limit, suppressions and the width of a table. Returns 0, or 2 after saying what is
 * wrong. */
int ask_run(struct store *store, const struct query_request *request,
            const struct query_file *query, FILE *out, long *rows);

#endif
