/* Notes below rankings on what was left out while the program ran. */
#ifndef FISQL_CLI_QUERY_RECORDING_LIMITS_H
#define FISQL_CLI_QUERY_RECORDING_LIMITS_H

#include "cli/query/query_run.h"

/* Notes what was left out while the program ran, as far as --since and --until let it through: on
 * stderr below a table, in the document below Markdown, which is read elsewhere, nowhere in CSV and
 * JSON. Queries about the recording (group Trust) and those without a header get no notes. */
void query_limits_say(const struct query_request *request, const struct query_file *query,
                      sqlite3 *database);

/* The same on stdout, once for all queries of `--all`. */
void query_limits_print(const struct query_request *request, sqlite3 *database);

#endif
