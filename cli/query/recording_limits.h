/* What was left out while the program ran, said beneath rankings that span it. */
#ifndef FISQL_CLI_QUERY_RECORDING_LIMITS_H
#define FISQL_CLI_QUERY_RECORDING_LIMITS_H

#include "cli/query/query_run.h"

/* Notes each time in which something was left out, of those that --since and --until let through: beneath a table on
 * stderr, beneath Markdown in the document, which is read elsewhere; nowhere in CSV and JSON. Queries that are
 * about the recording itself (group Trust), or have no header, are spared it. */
void query_limits_say(const struct query_request *request, const struct query_file *query,
                      sqlite3 *database);

/* The same on stdout, once for all queries of `--all`. */
void query_limits_print(const struct query_request *request, sqlite3 *database);

#endif
