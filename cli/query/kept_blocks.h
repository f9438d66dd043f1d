/* Blocks that the C library keeps for itself until the program ends. A query that leaves them out
 * has the parameter all_blocks, and finds them by the view kept_stacks (schema.sql). */
#ifndef FISQL_CLI_QUERY_KEPT_BLOCKS_H
#define FISQL_CLI_QUERY_KEPT_BLOCKS_H

#include "cli/query/query_run.h"

/* The parameter by which the query leaves them out, NULL if it has none. */
const struct query_part *kept_blocks_parameter(const struct query_file *query);

/* Says on stderr what the query left out, if anything. */
void kept_blocks_say(const struct query_request *request, const struct query_file *query,
                     sqlite3 *database);

#endif
