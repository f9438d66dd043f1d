/* What a query leaves out by a rule, said below its rows: the header's line `hides` names the
 * rules and the settings that switch them off. */
#ifndef FISQL_CLI_QUERY_LEFT_OUT_H
#define FISQL_CLI_QUERY_LEFT_OUT_H

#include "cli/query/query_run.h"

/* Runs the query again with each setting and says how many rows there are more, and how to see them.
 * Says nothing if there are none, or if the request has the setting already. */
void left_out_say(const struct query_request *request, const struct query_file *query,
                  sqlite3 *database);

#endif
