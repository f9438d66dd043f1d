/* The options of a query that `fisql query` and `fisql fleet` share. Each function puts the option
 * that args_next() gave into the request, and returns 0, or 2 after saying what is wrong. */
#ifndef FISQL_CLI_QUERY_OPTIONS_H
#define FISQL_CLI_QUERY_OPTIONS_H

#include "cli/out/args.h"
#include "cli/query/query_run.h"

int query_option_param(struct query_request *request, const struct args *args);
int query_option_format(struct query_request *request, const struct args *args);
int query_option_limit(struct query_request *request, const struct args *args);

/* On a terminal a table ends after some rows, unless --limit was given. Returns whether it does. */
bool query_cut_for_terminal(struct query_request *request, bool terminal, bool limit_given);
/* Says how many of all rows were shown. */
void query_say_cut(long rows);

#endif
