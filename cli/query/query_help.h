/* What there is to ask: the list of queries, and what one of them means. */
#ifndef FISQL_CLI_QUERY_QUERY_HELP_H
#define FISQL_CLI_QUERY_QUERY_HELP_H

#include "cli/query/query_set.h"

#include <stdio.h>

/* Prints the queries by group, on stdout; `command` runs them on `what`. */
void query_help_list(const struct query_set *set, const char *command, const char *what);

/* Prints the names alone, one a line, in the list's order: for completion and the manual. */
void query_help_names(const struct query_set *set);

/* Explains a query of `command` on `out`: as text for a terminal, or in Markdown as a section of the
 * manual. */
void query_help_explain(const struct query_file *query, const char *command, bool markdown,
                        FILE *out);

#endif
