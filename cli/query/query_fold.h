/* What code a query asks about: the user's own, into which the functions of system headers and
 * libraries are folded (own_code.h), or all of it, if the question names one of these. */
#ifndef FISQL_CLI_QUERY_QUERY_FOLD_H
#define FISQL_CLI_QUERY_QUERY_FOLD_H

#include "cli/query/query_run.h"

/* Folds the database, unless the question is about all code; query: NULL = all queries. *folded:
 * there was something to fold. Returns 0, or 2 after saying what is wrong. */
int query_fold(sqlite3 *database, const struct query_file *query,
               const struct query_request *request, bool *folded);

#endif
