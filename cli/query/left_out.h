/*
 * What a query leaves out, said below its rows: by each of its thresholds, which are its parameters
 * min_... and max_..., and by the rules that the header's line `hides` names. To count the rows, the
 * query runs again with each of them switched off, within a budget of SQLite's steps; which are not
 * counted is said, too.
 */
#ifndef FISQL_CLI_QUERY_LEFT_OUT_H
#define FISQL_CLI_QUERY_LEFT_OUT_H

#include "cli/query/query_run.h"

/* Says how many rows there are more without each rule and threshold that the request does not set,
 * and how to see them. Says nothing if there are none. */
void left_out_say(const struct query_request *request, const struct query_file *query,
                  sqlite3 *database);

#endif
