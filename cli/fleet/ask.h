/*
 * Asking many runs. A file of queries/fleet/ has the header of every query (cli/query/query_file.h), then
 * steps, each begun by a line of its own:
 *
 *   -- gather NAME: uses TABLE...   SQL that both engines understand, run where the rows are; the result
 *                                   becomes the temporary table NAME. It reads tables of
 *                                   cli/fleet/schema_fleet.sql, and the temporary tables that it names
 *   -- local NAME                   SQLite's SQL, run here; the result becomes the temporary table NAME
 *   -- finish                       the same; its rows are the answer
 *
 * `chosen(run_id, side)` holds the runs that were asked for: those of the parameter `runs`, or of `before`
 * (side 1) and `after` (side 2). They are also, divided, in `batch(batch_id, side)`, whose runs are summed up in
 * function_sums and context_sums, and `single(run_id, side)` (fold.h). `runs` and `labels` can be read in each local step. Parameters are bound
 * in local steps alone. What both engines understand: no WITH, no window functions, no joins; names of
 * results that are no columns of the table; counts and sums of integers.
 */
#ifndef FISQL_CLI_FLEET_ASK_H
#define FISQL_CLI_FLEET_ASK_H

#include "cli/fleet/store.h"
#include "cli/query/query_run.h"
#include "cli/query/query_set.h"

/* Loads the queries of many runs. Returns 0 or 2; release with query_set_release() in both cases. */
int ask_load(struct query_set *set);

/* Asks the query and writes its rows; *rows becomes their number. Of the request: format, settings,
 * limit, suppressions and how wide a table may be. Returns 0, or 2 after saying what is wrong. */
int ask_run(struct store *store, const struct query_request *request,
            const struct query_file *query, FILE *out, long *rows);

#endif
