/* What a query needs that not every database has. Its header names it: `-- needs: values` or `--
 * needs: calls`. If a run lacks it, the query finds nothing or not all, and fisql says why. */
#ifndef FISQL_CLI_QUERY_QUERY_NEEDS_H
#define FISQL_CLI_QUERY_QUERY_NEEDS_H

#include "cli/query/query_file.h"

#include <sqlite3.h>
#include <stdbool.h>

/* Are all words of a header's `needs` line known? */
bool query_needs_known(const char *words);

/* Does its header name this need? */
bool query_needs_word(const struct query_file *query, const char *needed);

/* The reason why the query can find nothing in this run, as a sentence without its end: what was
 * not recorded, and the option that records it. NULL if the run has what it needs. */
const char *query_lacks(const struct query_file *query, sqlite3 *database);

/* The same for a query that finds something, but not all. */
const char *query_lacks_part(const struct query_file *query, sqlite3 *database);

#endif
